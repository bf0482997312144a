/** Decimal places that make nearly every amount of a bill a whole number, exact in small sums: those of a ratio. */
const places = 9;
/** Multiplier of amounts. */
export const amountScale = 10 ** places;
const powers = Array.from({ length: places + 1 }, (_, power) => 10 ** power);

const zero = 0x30;
const nine = 0x39;
const point = 0x2e;

/** A position in a text that advances with each read, by character codes: no part of the text is copied. */
export class LineCursor {
  private readonly text: string;
  private position: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.position = at;
  }

  /** Current position. */
  get at(): number {
    return this.position;
  }

  /** Moves past a word if it is next. Returns whether it was. */
  passes(word: string): boolean {
    for (let index = 0; index < word.length; index += 1) {
      if (this.text.charCodeAt(this.position + index) !== word.charCodeAt(index)) return false;
    }
    this.position += word.length;
    return true;
  }

  /** Reads digits; NaN if there are none. Too many digits for an exact value give a number above the safe integers. */
  count(): number {
    const start = this.position;
    const value = this.digits(0);
    return this.position === start ? NaN : value;
  }

  /** Reads a decimal number, times `amountScale`; NaN if it is invalid or has more places. */
  amount(): number {
    const whole = this.count();
    if (this.text.charCodeAt(this.position) !== point) return whole * amountScale;
    this.position += 1;
    const start = this.position;
    const value = this.digits(whole);
    const read = this.position - start;
    return read === 0 ? NaN : value * (powers[places - read] ?? NaN);
  }

  private digits(before: number): number {
    let value = before;
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (!(code >= zero && code <= nine)) return value;
      value = value * 10 + code - zero;
      this.position += 1;
    }
  }
}
