// Whether the disk takes writes: bad after a batch was taken back, good again after the next commit.

import type { RuntimeHealth } from "./api.ts";

export class StorageHealth {
  #reason: string | undefined;
  #commitsThen = 0;
  #commits: () => number = () => 0;

  watch(commits: () => number): void {
    this.#commits = commits;
  }

  failed(reason: string): void {
    this.#reason = reason;
    this.#commitsThen = this.#commits();
  }

  state(): RuntimeHealth["storage"] {
    if (this.#reason !== undefined && this.#commits() > this.#commitsThen) this.#reason = undefined;
    return this.#reason === undefined ? { ok: true } : { ok: false, reason: this.#reason };
  }
}
