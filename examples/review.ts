// Shows:  a review of your own files, in TypeScript: one agent per file with a typed answer, then a summary.
// Run:    quickswarm run examples/review.ts --files "docs/*.md"
//         quickswarm run examples/review.ts --files "src/**/*.ts" --args '{"dir":"src/cli"}'
//         A script cannot read files; --files puts their texts into args.files. `dir` keeps those below it.
// Expect: one finding per file with a score from 1 to 5, the files whose review failed, and a summary.

interface FileText {
  path: string;
  text: string;
}

const AT_ONCE = 16;
const FILES_MAX = 150;
const TEXT_CHARS_MAX = 100_000;

const finding = {
  type: "object",
  properties: {
    score: { type: "integer", minimum: 1, maximum: 5 },
    strength: { type: "string", maxLength: 160 },
    weakness: { type: "string", maxLength: 160 },
  },
  required: ["score", "strength", "weakness"],
  additionalProperties: false,
} as const;

const input = (args ?? {}) as { files?: FileText[]; dir?: string };
const below = input.dir === undefined ? "" : `${input.dir.replace(/\/+$/, "")}/`;
const given = input.files ?? [];
const files = given.filter((file) => file.path.startsWith(below)).slice(0, FILES_MAX);

if (files.length === 0) {
  const reason = given.length === 0 ? "No files were given." : `None of the ${given.length} files is below ${below}`;
  return { error: `${reason} Try: quickswarm run examples/review.ts --files "docs/*.md"` };
}

phase("review");
const reviews: ({ path: string } & Awaited<ReturnType<typeof review>>)[] = [];
const failures: { path: string; reason: string }[] = [];
await eachOf(files, AT_ONCE, async (file) => {
  try {
    reviews.push({ path: file.path, ...(await review(file)) });
  } catch (error) {
    failures.push({ path: file.path, reason: error instanceof Error ? error.message : String(error) });
  }
});
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
reviews.sort(byPath);
failures.sort(byPath);

phase("summarise");
const lines = reviews.map((one) => `- ${one.path}: ${one.score} of 5. ${one.weakness}`);
const question = `# Review of ${files.length} files\nWhat should be improved first?\n${lines.join("\n")}`;
// The reviews are worth having even when their summary fails.
const summary = await agents
  .run(question, { label: "summary", retries: 1 })
  .catch((error: SwarmAgentError) => `There is no summary: ${error.message}`);

return { files: files.length, leftOut: given.length - files.length, reviews, failures, summary };

function review(file: FileText) {
  const cut = file.text.length > TEXT_CHARS_MAX;
  const text = cut ? `${file.text.slice(0, TEXT_CHARS_MAX)}\n[the rest of the file is cut]` : file.text;
  return agents.run(`Review ${file.path}: what is its greatest strength and its greatest weakness?\n\n${text}`, {
    label: file.path.slice(-200),
    schema: finding,
    retries: 1,
  });
}

/** Works on all items, `width` at a time; the group's limit of live agents is never met. */
async function eachOf<Item>(items: Item[], width: number, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
