// The port to the tools (met in src/tools): what of them is decided when a child is spawned.

export interface ToolWish {
  /** Patterns of the agent; undefined: all that a call names. */
  allowed: readonly string[] | undefined;
  /** Patterns of the call; undefined: all that the agent is allowed. */
  asked: readonly string[] | undefined;
}

export interface ScriptTools {
  /** Whether a wish can be granted, as far as that is known at once. @throws Fault `tool_unknown`, `tool_not_allowed` */
  check(wish: ToolWish): void;
}
