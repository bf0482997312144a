/** The number a text stands for; null when it is none, is below 0, or, with `wholeFrom`, no whole number from there on. */
export function readNumber(text: string, wholeFrom?: number): number | null {
  const trimmed = text.trim();
  const form = wholeFrom === undefined ? /^(?:\d+\.?\d*|\.\d+)$/ : /^\d+$/;
  if (!form.test(trimmed)) return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value) || (wholeFrom !== undefined && value < wholeFrom)) return null;
  return value;
}
