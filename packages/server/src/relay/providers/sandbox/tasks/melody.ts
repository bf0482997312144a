import { silence, soundRate } from '../wav.ts';
import { chance } from './seed.ts';

/** Five notes of a scale that never clash, over two octaves, in Hz. */
const notes = [262, 294, 330, 392, 440, 523, 587, 659, 784, 880];
const noteSeconds = 0.25;
const loudest = 52;

/** A tune of so many notes, as a WAV file. */
export function melody(seed: number, count: number): Buffer {
  const perNote = soundRate * noteSeconds;
  const { file, moments } = silence(count * perNote);
  for (let index = 0; index < count; index += 1) {
    const note = notes[Math.floor(chance(seed, index) * notes.length)] ?? notes[0]!;
    for (let at = 0; at < perNote; at += 1) {
      const turn = (2 * Math.PI * note * at) / soundRate;
      // A plucked string: loud at once, and then less and less.
      const loudness = loudest * Math.min(1, at / 40) * (1 - at / perNote);
      moments[index * perNote + at] =
        0x80 + Math.round(loudness * (Math.sin(turn) + 0.4 * Math.sin(2 * turn)));
    }
  }
  return file;
}

/** Seconds of a tune. */
export const melodySeconds = (count: number): number => count * noteSeconds;
