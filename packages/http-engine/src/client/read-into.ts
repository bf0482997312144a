/** The buffer for a socket's reads. The next read overwrites it, so kept bytes must be copied. */
export interface ReadInto {
  readonly buffer: Buffer;
  /** `length` bytes are in the buffer. False: no more for now. */
  callback(length: number): boolean;
}

/** The most bytes of one read. */
export const readBytes = 64 * 1024;
