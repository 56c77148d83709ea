// A static import, which makes it a module.
// ends: script_syntax
// says: import
import { readFileSync } from "node:fs";
return readFileSync("package.json");
