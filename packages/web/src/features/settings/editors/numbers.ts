/** The number of a text; null if it is invalid, negative, or, with `wholeFrom`, not an integer of at least that. */
export function readNumber(text: string, wholeFrom?: number): number | null {
  const trimmed = text.trim();
  const form = wholeFrom === undefined ? /^(?:\d+\.?\d*|\.\d+)$/ : /^\d+$/;
  if (!form.test(trimmed)) return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value) || (wholeFrom !== undefined && value < wholeFrom)) return null;
  return value;
}
