// What an agency is, as plain data: its strategy and its members. Keys, addresses and functions stay out.

import type { AgencyExport, ExportedMember } from "./config.ts";
import type { Member, Team } from "./team.ts";

export function exportOf({ name, strategy, route, instructions, maxRounds, members }: Team): AgencyExport {
  return {
    name,
    strategy,
    ...given({ model: route.model, provider: route.provider, instructions }),
    maxRounds,
    agents: Object.fromEntries(members.map((member) => [member.name, exportedMember(member)])),
  };
}

function exportedMember({ description, dependsOn, seat }: Member): ExportedMember {
  if (seat.kind === "built") return { kind: "built", description, dependsOn };
  const { instructions, model, provider } = seat.config;
  const tools = seat.tools().map((tool) => tool.name);
  return { kind: "config", description, dependsOn, ...given({ instructions, model, provider }), tools };
}

function given<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
