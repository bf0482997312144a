/** One result of a check, as text. */
export interface Line {
  /** `note` is information, not an error. */
  level: 'ok' | 'note' | 'wrong';
  text: string;
}

export const ok = (text: string): Line => ({ level: 'ok', text });
export const note = (text: string): Line => ({ level: 'note', text });
export const wrong = (text: string): Line => ({ level: 'wrong', text });

/** The error in one line. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
