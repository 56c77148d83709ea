// `quickswarm config`: the value of every field and where it came from, secrets masked (C-010).

import { explainConfig } from "../../config/explain.ts";
import type { ExplainedField } from "../../config/explained.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { jsonText, valueText } from "../format.ts";
import { table } from "../table.ts";

export async function configCommand(context: Context): Promise<number> {
  const { io } = context;
  const loaded = await context.load();
  const fields = explainConfig(loaded);
  const { file = null, warnings } = loaded;
  if (context.json) {
    io.out.line(jsonText({ file, warnings, fields }));
    return EXIT.ok;
  }
  const columns = [{ head: "FIELD" }, { head: "VALUE", shrinks: true }, { head: "FROM" }];
  io.out.line(
    await table(
      io.out,
      columns,
      fields.map((field) => [field.path, valueText(field.value), origin(field)]),
    ),
  );
  io.err.line(file === null ? "There is no configuration file." : `The configuration file is ${file}.`);
  for (const warning of warnings) io.err.line(`warning: ${warning}`);
  return EXIT.ok;
}

function origin(field: ExplainedField): string {
  const from = field.from === "env" || field.from === "flag" ? `${field.from} ${field.name ?? ""}` : field.from;
  return field.note === undefined ? from : `${from} (${field.note})`;
}
