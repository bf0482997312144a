/** One byte for each moment, eight thousand a second: as small as sound can be. */
export const soundRate = 8_000;
const headBytes = 44;

/** A WAV file that is silent for so many moments, and where its moments begin; each is 0x80 in the middle. */
export function silence(moments: number): { file: Buffer; moments: Buffer } {
  const file = Buffer.alloc(headBytes + moments, 0x80);
  writeHead(file);
  return { file, moments: file.subarray(headBytes) };
}

/** The head of a WAV file: one channel, eight bits, no compression. */
function writeHead(sound: Buffer): void {
  sound.write('RIFF', 0);
  sound.writeUInt32LE(sound.length - 8, 4);
  sound.write('WAVEfmt ', 8);
  sound.writeUInt32LE(16, 16);
  sound.writeUInt16LE(1, 20);
  sound.writeUInt16LE(1, 22);
  sound.writeUInt32LE(soundRate, 24);
  sound.writeUInt32LE(soundRate, 28);
  sound.writeUInt16LE(1, 32);
  sound.writeUInt16LE(8, 34);
  sound.write('data', 36);
  sound.writeUInt32LE(sound.length - headBytes, 40);
}
