/** A text in both languages of the console. */
export interface Words {
  zh: string;
  en: string;
}

/** Language of the console: Chinese or English. */
export type Language = keyof Words;

/** One error of a console call; see errors.ts. */
export interface ErrorEntry extends Words {
  /**
   * HTTP status of the answer. Most refusals of console calls answer 200 with success=false
   * (docs/compatibility.md#envelope-and-routes).
   */
  status: number;
}

/** Values for the slots of an error's text: the same in both languages, or a word in each. */
export type ErrorValues = Readonly<Record<string, string | number | Words>>;

/** Fills the `{name}` slots of a text in `language`. A slot without a value stays. */
export function fillWords(text: string, values: ErrorValues = {}, language: Language = 'zh'): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name];
    if (value === undefined) return slot;
    return typeof value === 'object' ? value[language] : String(value);
  });
}
