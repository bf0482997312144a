/** Words in both languages of the console. */
export interface Words {
  zh: string;
  en: string;
}

/** One error of a console call; see errors.ts. */
export interface ErrorEntry extends Words {
  /**
   * HTTP status of the answer. Most refusals of console calls answer 200 with success=false
   * (docs/compatibility.md#envelope-and-routes).
   */
  status: number;
}
