// Cases that each wait for processes, some at a time.

/** Runs `each` over all cases, `width` at once; the results are in the order of the cases. */
export async function sideBySide<Case, Value>(
  width: number,
  cases: readonly Case[],
  each: (one: Case, index: number) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const rest = cases.map((one, index) => ({ one, index })).values();
  const worker = async (): Promise<void> => {
    for (const { one, index } of rest) values[index] = await each(one, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return values;
}
