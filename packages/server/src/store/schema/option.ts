/** Settings that differ from their defaults, as text. Secret ones are encrypted. */
export interface OptionTable {
  key: string;
  value: string;
}
