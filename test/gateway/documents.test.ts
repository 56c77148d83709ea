import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { importsOf, resolveImport } from "../../scripts/source/imports.ts";
import { FAULT_TABLE } from "../../src/contract/fault-table.ts";
import { operationId } from "../../src/gateway/openapi.ts";
import { ROUTES } from "../../src/gateway/routes/all.ts";
import { send, testGateway } from "../support/test-gateway.ts";

interface Document {
  openapi: string;
  paths: { [path: string]: { [method: string]: { operationId: string; security?: unknown[] } } };
  components: { schemas: { [name: string]: object } };
}

async function document(): Promise<Document> {
  const { gateway } = await testGateway();
  return (await send(gateway, "/v1/openapi.json")).json as Document;
}

test("I-002 the OpenAPI document holds every route once, with an id of its own", async () => {
  const { openapi, paths } = await document();
  expect(openapi).toBe("3.1.0");
  const listed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const braced = (path: string): string => path.replace(":id", "{id}").replace(":name", "{name}");
  expect(listed.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${braced(path)}`).sort());
  expect(new Set(ROUTES.map(operationId)).size).toBe(ROUTES.length);
});

test("I-002 only /healthz is marked as open in the document", async () => {
  const { paths } = await document();
  const open = Object.entries(paths).filter(([, operations]) => operations.get?.security?.length === 0);
  expect(open.map(([path]) => path)).toEqual(["/healthz"]);
});

test("I-002 every reference in the document leads somewhere, and its schemas accept what the gateway takes and gives", async () => {
  const found = await document();
  const references = JSON.stringify(found).match(/"#\/components\/schemas\/[^"]+"/g) ?? [];
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    expect(Object.keys(found.components.schemas)).toContain(reference.slice('"#/components/schemas/'.length, -1));
  }
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(found, "document");
  const check = (name: string) => ajv.getSchema(`document#/components/schemas/${name}`);
  expect(check("SubmitRequest")?.({ script: "return 1", args: { deep: [1, null, { a: "b" }] } })).toBe(true);
  expect(check("SubmitRequest")?.({ script: 1 })).toBe(false);
  expect(check("SubmitRequest")?.({ script: "x", surprise: 1 })).toBe(false);
  const { gateway } = await testGateway();
  const submitted = await send(gateway, "/v1/runs", { body: { script: "return 1" } });
  expect(check("postRunsAnswer")?.(submitted.json)).toBe(true);
  expect(check("Problem")?.((await send(gateway, "/v1/nothing")).json)).toBe(true);
});

test("I-002 the page about HTTP lists every route, and no other", () => {
  const page = readFileSync("docs/http.md", "utf8");
  const rows = [...page.matchAll(/^\| `(GET|POST) (\/[^`?]*)(?:\?[^`]*)?` +\|/gm)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  expect(rows.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort());
});

test("I-005 the page about HTTP names no fault code that does not exist", () => {
  const page = readFileSync("docs/http.md", "utf8");
  const codes = [...page.matchAll(/\| `([a-z_]+)` +\| +\d{3} +\|/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(10);
  for (const code of codes) expect(Object.keys(FAULT_TABLE)).toContain(code);
});

test("I-005 the statuses on the page about HTTP are those of the fault table", () => {
  const page = readFileSync("docs/http.md", "utf8");
  for (const [, code, status] of page.matchAll(/\| `([a-z_]+)` +\| +(\d{3}) +\|/g)) {
    expect([code, FAULT_TABLE[code as keyof typeof FAULT_TABLE].httpStatus]).toEqual([code, Number(status)]);
  }
});

test.each(["src/gateway/client.ts", "src/gateway/discovery.ts"])(
  "I-003 %s loads no framework, no schema and no log, so that a command starts at once",
  (entry) => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const { specifier, typeOnly } of importsOf({ path, text: readFileSync(path, "utf8") })) {
        if (typeOnly) continue;
        const target = resolveImport(path, specifier);
        if (target) visit(target);
        else packages.add(specifier);
      }
    };
    visit(entry);
    expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual([]);
    expect(seen.size).toBeGreaterThan(4);
  },
);
