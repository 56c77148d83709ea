// Who waits for whom: `dependsOn` checked, and the roster sorted into tiers.

import { gotText } from "./checks.ts";
import { AgencyConfigError } from "./errors.ts";
import type { Member } from "./team.ts";

/** @throws AgencyConfigError naming the member, when `value` is no list of names */
export function dependenciesOf(member: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const wrong = Array.isArray(value) ? value.find((name) => typeof name !== "string") : value;
  if (Array.isArray(value) && wrong === undefined) return [...new Set(value as string[])];
  throw new AgencyConfigError(`agents.${member}.dependsOn: expected a list of members' names, got ${gotText(wrong)}`);
}

/**
 * Members in tiers, roster order inside each.
 * @throws AgencyConfigError for a name that is no member and for a cycle
 */
export function tiersOf(members: readonly Member[]): Member[][] {
  const names = new Set(members.map((member) => member.name));
  for (const { name, dependsOn } of members) {
    const unknown = dependsOn.find((other) => !names.has(other));
    if (unknown === undefined) continue;
    const known = [...names].join(", ");
    throw new AgencyConfigError(`agents.${name}.dependsOn: ${gotText(unknown)} is no member; members: ${known}`);
  }
  const done = new Set<string>();
  const tiers: Member[][] = [];
  let left = [...members];
  while (left.length > 0) {
    const tier = left.filter((member) => member.dependsOn.every((name) => done.has(name)));
    if (tier.length === 0) {
      const cycle = left.map((member) => member.name).join(", ");
      throw new AgencyConfigError(`agents: dependsOn has a cycle among ${cycle}`);
    }
    for (const { name } of tier) done.add(name);
    left = left.filter((member) => !done.has(member.name));
    tiers.push(tier);
  }
  return tiers;
}
