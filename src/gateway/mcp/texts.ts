// What a model reads before it uses the tools: instructions, the declarations, and a prompt that teaches it
// to write a script.

import { readFileSync } from "node:fs";

export const INSTRUCTIONS = [
  "quickswarm runs agents in the background, many at once, and loses nothing when a process dies.",
  "One agent or a few: sessions_spawn for each, then agents_wait in a loop until nothing is pending.",
  "Many agents, or steps that depend on each other: write a script (read quickswarm://guest/agents.d.ts), submit it with swarm_run, then swarm_wait.",
  "A run may wait for a person: swarm_approvals lists what is asked. Ask the person, and tell the run with swarm_decide.",
  "A wait that ends without a result is no failure: what is pending is still at work. Wait again, and start nothing a second time.",
].join("\n");

/** Declarations by the name that their resource has. */
export const DECLARATIONS = ["agents.d.ts", "people.d.ts", "workflow.d.ts"] as const;

export function declarationText(name: (typeof DECLARATIONS)[number]): string {
  return readFileSync(new URL(`../../../guest-types/${name}`, import.meta.url), "utf8");
}

/** The message that the prompt `write_swarm_script` gives. */
export function scriptPrompt(goal: string): string {
  return `Write a quickswarm script for this goal, submit it with the tool swarm_run, and wait for its result with swarm_wait:

${goal}

A script is the body of an async JavaScript function: \`await\` and \`return\` stand at its top level. What it returns (JSON) is the result of the run. It has no import, no network and no files; agents are its only way out. Everything it may use is declared here:

\`\`\`ts
${declarationText("agents.d.ts")}\`\`\`

Rules that make a good script:
1. Return a value; a script without \`return\` has no result.
2. Put everything an agent needs into its prompt: it sees nothing of the script, nor of other agents.
3. Start independent agents together (Promise.all, or Promise.allSettled where one failure must not cost the rest), and return what failed.
4. Use a \`schema\` where the script reads the answer, plain text where a person or another agent does.
5. Label agents and name phases; people watch by them.
6. Bound every loop.
7. Hand data in by \`args\` instead of writing it into the script.`;
}
