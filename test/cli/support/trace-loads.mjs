// Preloaded with --import: writes the URL of each module that is resolved afterwards to stderr.

import { register } from "node:module";

const hook = `
  import { writeSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    writeSync(2, "loads " + found.url + "\\n");
    return found;
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
