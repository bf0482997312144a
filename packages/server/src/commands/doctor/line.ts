/** One thing that was looked at, in words. */
export interface Line {
  /** `note` is worth knowing and no fault. */
  level: 'ok' | 'note' | 'wrong';
  text: string;
}

export const ok = (text: string): Line => ({ level: 'ok', text });
export const note = (text: string): Line => ({ level: 'note', text });
export const wrong = (text: string): Line => ({ level: 'wrong', text });

/** What went wrong, in one line. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
