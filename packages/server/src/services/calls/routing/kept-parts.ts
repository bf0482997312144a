import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { pack, unpack } from '../../../lib/packed.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { type Db, keptParts as rows } from '../../../store/index.ts';

/** A sealed part, ready to be stored. */
export type SealedPart = rows.KeptPartRow[];

/** Place of a part: a user's object, and the order in it. */
interface PartPlace {
  object: string;
  userId: number;
  place: number;
}

/** Characters of sealed parts. */
export const sizeOfPart = (part: SealedPart): number => part.reduce((sum, { size }) => sum + size, 0);

/** Texts in parts that the gateway keeps for callers, compressed and sealed: calls of batches, and their results. */
export interface KeptParts {
  /** Seals a part of a user's object; it expires after these seconds. */
  seal(at: PartPlace, text: string | Buffer, expiresIn?: number): Promise<SealedPart>;
  /** Characters of sealed parts that may be added for a user. */
  room(userId: number): Promise<number>;
  /** Stores sealed parts. */
  add(parts: readonly SealedPart[]): Promise<void>;
  /** A part as text; undefined if there is none. */
  find(object: string, place: number): Promise<string | undefined>;
  /** All parts in order, one after the other. */
  read(object: string): AsyncGenerator<Buffer>;
  /** The same, with the places of the parts. */
  readPlaces(object: string): AsyncGenerator<{ place: number; bytes: Buffer }>;
  /** True if the gateway keeps files itself where no channel does. */
  isOn(): boolean;
  /** Lets an object expire after these seconds from now. */
  extend(object: string, expiresIn: number): Promise<void>;
  /** Number of parts, from a place if there is one. */
  count(object: string, from?: number): Promise<number>;
  remove(object: string): Promise<void>;
  /** Deletes what has expired. */
  sweep(): Promise<void>;
}

/** Calls, results and files of batches are kept as long as OpenAI keeps the files of batches. */
export const keptSeconds = 30 * 86_400;

/** The name of an object by its id. */
export const partsOf = (id: string): string => sha256(id);

/** The seal place of a piece. */
export const partPlace = ({
  object,
  place,
  piece,
}: Pick<rows.KeptPartRow, 'object' | 'place' | 'piece'>): SealPlace => ({
  column: 'kept_parts.body',
  row: `${object} ${place} ${piece}`,
});

/** Characters of a piece before it is sealed: databases bound the size of a statement. */
const maxPiece = 1024 * 1024;
/** An upload or a submission that takes longer has died. */
const sealSeconds = 6 * 3_600;
const pagePieces = 8;
/** Characters of all sealed parts of a user, and of the site. */
const maxUserSize = 512 * 1024 * 1024;
const maxSize = 8 * maxUserSize;

interface KeptPartsDeps {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  isOn: () => boolean;
}

export function createKeptParts({ db, sealer, clock, isOn }: KeptPartsDeps): KeptParts {
  const open = (pieces: readonly rows.KeptPartRow[]): Promise<Buffer> => {
    const packed = pieces.map((piece) => sealer.open(piece.body_sealed, partPlace(piece))).join('');
    return unpack(packed);
  };
  async function* readPlaces(object: string): ReturnType<KeptParts['readPlaces']> {
    let after = { place: -1, piece: 0 };
    let part: rows.KeptPartRow[] = [];
    for (;;) {
      const page = await rows.page(db, object, after, pagePieces);
      for (const piece of page) {
        const [first] = part;
        if (first && piece.place !== first.place) {
          yield { place: first.place, bytes: await open(part) };
          part = [];
        }
        part.push(piece);
      }
      const last = page.at(-1);
      if (!last) break;
      after = last;
    }
    const [first] = part;
    if (first) yield { place: first.place, bytes: await open(part) };
  }
  return {
    async seal({ object, userId, place }, text, expiresIn = sealSeconds) {
      const packed = await pack(text);
      const expires_at = seconds(clock) + expiresIn;
      const pieces: SealedPart = [];
      for (let start = 0; start < packed.length; start += maxPiece) {
        const key = { object, place, piece: pieces.length };
        const body = sealer.seal(packed.slice(start, start + maxPiece), partPlace(key));
        pieces.push({ ...key, user_id: userId, size: body.length, expires_at, body_sealed: body });
      }
      return pieces;
    },
    add: (parts) => rows.add(db, parts.flat()),
    async find(object, place) {
      const pieces = await rows.ofPlace(db, object, place);
      return pieces.length === 0 ? undefined : (await open(pieces)).toString();
    },
    async *read(object) {
      for await (const { bytes } of readPlaces(object)) yield bytes;
    },
    readPlaces,
    isOn,
    async room(userId) {
      const ofUser = maxUserSize - (await rows.size(db, userId));
      return Math.min(ofUser, maxSize - (await rows.size(db)));
    },
    extend: (object, expiresIn) => rows.extend(db, object, seconds(clock) + expiresIn),
    count: (object, from = 0) => rows.count(db, object, from),
    remove: (object) => rows.remove(db, object),
    async sweep() {
      await rows.removeExpired(db, seconds(clock));
    },
  };
}
