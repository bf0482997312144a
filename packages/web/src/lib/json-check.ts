/** Where a JSON text breaks; lines and columns count from 1. */
export interface JsonFault {
  line: number;
  column: number;
}

/** The position of an error of `JSON.parse`, which browsers name in different ways; the end of the text if they do not. */
function positionOf(message: string, text: string): number {
  const byLine = /line (\d+) column (\d+)/.exec(message);
  if (byLine) {
    const before = text.split('\n').slice(0, Number(byLine[1]) - 1);
    return before.join('\n').length + (before.length > 0 ? 1 : 0) + Number(byLine[2]) - 1;
  }
  const byPosition = /position (\d+)/.exec(message);
  return byPosition ? Number(byPosition[1]) : text.length;
}

/** The first fault of a JSON text; null when it parses. An empty text is no fault. */
export function findJsonFault(text: string): JsonFault | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const before = text.slice(0, positionOf(error instanceof Error ? error.message : '', text)).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** The same JSON, indented; the text itself when it does not parse. */
export function tidyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
