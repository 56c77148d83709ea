// The floor of a start: Node, better-sqlite3, one durable transaction in a new file, one line.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

const [dir] = process.argv.slice(2);
mkdirSync(dir, { recursive: true });
const database = new Database(join(dir, "floor.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec("CREATE TABLE steps (n INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
database.prepare("INSERT INTO steps (body) VALUES (?)").run("x".repeat(500));
process.stdout.write("{}\n");
database.close();
