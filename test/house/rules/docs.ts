// What the documents point at exists: files, headings and npm scripts.

import type { SourceFile } from "../../../scripts/source/tokens.ts";
import type { Violation } from "./violation.ts";

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const NPM_RUN = /npm (?:run (?:--silent |-s )?([\w:-]+)|(test)\b)/g;

export function documentViolations(files: readonly SourceFile[]): Violation[] {
  const places = new Set(files.flatMap((file) => [file.path, ...foldersOf(file.path)]));
  const headings = new Map(documents(files).map((file) => [file.path, headingsOf(file.text)]));
  const scripts = scriptsOf(files);
  return documents(files).flatMap(({ path, text }) =>
    withoutCode(text).flatMap(({ line, content, code }) => {
      const links = code ? [] : [...content.matchAll(LINK)].map((match) => match[1] ?? "");
      const wrong = links.filter((link) => !linkStands(path, link, places, headings));
      const named = [...content.matchAll(NPM_RUN)].map((match) => match[1] ?? match[2] ?? "");
      return [
        ...wrong.map((link) => ({ path, line, message: `links to ${link}, which is not there` })),
        ...named
          .filter((name) => !scripts.has(name))
          .map((name) => ({ path, line, message: `names npm run ${name}, which package.json does not have` })),
      ];
    }),
  );
}

function documents(files: readonly SourceFile[]): SourceFile[] {
  return files.filter((file) => file.path.endsWith(".md") && file.path !== "docs/parity.md");
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}

function linkStands(
  from: string,
  link: string,
  places: ReadonlySet<string>,
  headings: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (/^[a-z]+:/.test(link)) return true;
  const [target = "", anchor] = link.split("#");
  const parts = target === "" ? from.split("/") : from.split("/").slice(0, -1);
  for (const part of target.split("/").filter((piece) => piece !== "" && piece !== ".")) {
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  const place = parts.join("/");
  if (place !== "" && !places.has(place)) return false;
  return anchor === undefined || (headings.get(place)?.has(anchor) ?? true);
}

/** Anchors as GitHub makes them. */
function headingsOf(text: string): Set<string> {
  const titles = withoutCode(text).flatMap(({ content, code }) => {
    const title = code ? undefined : /^#+\s+(.*)$/.exec(content)?.[1];
    return title === undefined ? [] : [title];
  });
  const anchor = (title: string): string =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
  return new Set(titles.map(anchor));
}

function withoutCode(text: string): { line: number; content: string; code: boolean }[] {
  let code = false;
  return text.split("\n").map((content, index) => {
    const fence = /^\s*(```|~~~)/.test(content);
    if (fence) code = !code;
    return { line: index + 1, content, code: code || fence };
  });
}

function scriptsOf(files: readonly SourceFile[]): Set<string> {
  const text = files.find((file) => file.path === "package.json")?.text ?? "{}";
  const { scripts = {} } = JSON.parse(text) as { scripts?: { [name: string]: string } };
  return new Set(Object.keys(scripts));
}
