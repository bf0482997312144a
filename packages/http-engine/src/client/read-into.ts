/** Where a socket puts what it reads: overwritten by the next read, so what is kept has to be copied. */
export interface ReadInto {
  readonly buffer: Buffer;
  /** `length` bytes stand in the buffer. False: no more for now. */
  callback(length: number): boolean;
}

/** As much as one read brings. */
export const readBytes = 64 * 1024;
