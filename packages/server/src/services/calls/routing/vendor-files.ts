import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { isObject, type Json, type JsonObject, numberOf, textOf } from '../../../lib/json.ts';
import type { FilesApi, VendorMade } from '../../../relay/types/index.ts';
import { type Db, vendorObjects as rows } from '../../../store/index.ts';

/** The channel and key that have something of a caller. */
export interface KeptAt {
  id: number;
  keyId: string;
}

/** An upload in progress. */
export interface Upload {
  userId: number;
  /** Unique. */
  requestId: string;
  api: FilesApi;
}

/** Options of a list of files. */
export interface FileQuery {
  api: FilesApi;
  /** Only these, at most 100; undefined for all. */
  ids?: readonly string[] | undefined;
  /** '' for all. */
  purpose: string;
  /** The id of the file before the page; '' for the first page. */
  after: string;
  descending: boolean;
  limit: number;
}

/** Files that vendors keep for callers, for all processes of a site: each is visible to its user only. */
export interface VendorFiles {
  /**
   * Reserves the bytes of an upload. False if the user would then have more than the site allows; uploads at the same
   * time cannot exceed it together.
   */
  reserve(upload: Upload, at: KeptAt, bytes: number): Promise<boolean>;
  /** Gives a file of so many bytes to its user. Rejects if the reservation has expired. */
  keep(upload: Upload, file: JsonObject, bytes: number): Promise<void>;
  /** Frees the bytes of an upload that failed. */
  drop(upload: Upload): Promise<void>;
  /** The place of a user's file; undefined for an unknown file, for those of other users, and for an expired one. */
  find(userId: number, fileId: string): Promise<(KeptAt & { purpose: string; body: string }) | undefined>;
  /**
   * The place of the files that a request refers to: undefined if all are unknown here. `missing` is one of another user,
   * or one that is at another place than the others.
   */
  findAll(userId: number, fileIds: readonly string[]): Promise<(KeptAt & { missing?: string }) | undefined>;
  /** A page of a user's files; undefined if the file before it is unknown. */
  list(userId: number, query: FileQuery): Promise<{ files: JsonObject[]; hasMore: boolean } | undefined>;
  /** Replaces the description of a user's file, and its end (Unix seconds) if it has another one. */
  describe(userId: number, fileId: string, file: JsonObject, end?: number, transaction?: Db): Promise<void>;
  /** Adds an object that was made without an upload, in a transaction if there is one. */
  add(row: Parameters<typeof rows.create>[1], transaction?: Db): Promise<void>;
  /** Those of these objects of vendors, at least one, that nobody here has. */
  unknownOf(ids: readonly string[]): Promise<Set<string>>;
  /** Notes what tools of a vendor made for a user; what belongs to another user stays theirs. */
  noteMade(userId: number, at: KeptAt, made: readonly VendorMade[]): Promise<void>;
  /** Forgets a file that its vendor has deleted. */
  forget(userId: number, fileId: string): Promise<void>;
}

interface VendorFilesDeps {
  db: Db;
  clock: Clock;
  /** Most bytes of a user's files together. */
  maxUserBytes: number;
}

/** Most files of a user. */
const maxFiles = 10_000;
/** The process of an upload that takes longer has died. */
const uploadSeconds = 6 * 3_600;
/** For files without an expiry. */
const never = 253_402_300_799;
/** Most files of a request; a further one counts as missing. */
const maxIds = 500;

const kinds: Readonly<Record<FilesApi, rows.VendorObjectRow['kind']>> = {
  openai: 'file',
  anthropic: 'anthropic-file',
  gemini: 'gemini-file',
  caches: 'cache',
  containers: 'container',
};

/** The id of a file by its vendor's description; Google's has `files/` before it. '' for none. */
export const fileIdIn = (api: FilesApi, { id, name }: JsonObject): string =>
  textOf(api === 'gemini' || api === 'caches' ? name : id);

/** Containers that are not used any more are forgotten then; vendors delete most of them earlier. */
export const containerSeconds = 30 * 86_400;

/** Google keeps files for two days, even if it does not say so. */
export const googleSeconds = 48 * 3_600;

/** Unix seconds: OpenAI has these, Anthropic a text. */
function expiryOf(end: Json | undefined): number {
  const at = typeof end === 'string' ? Date.parse(end) / 1_000 : end;
  return typeof at === 'number' && at > 0 ? Math.min(never, Math.floor(at)) : never;
}

/** The row of a file that its vendor made for a user, in a batch. */
export const vendorFileRow = (
  { userId, api }: Pick<Upload, 'userId' | 'api'>,
  at: KeptAt,
  file: JsonObject,
): Omit<rows.VendorObjectRow, 'id'> => ({
  name: sha256(fileIdIn(api, file)),
  user_id: userId,
  kind: kinds[api],
  purpose: textOf(file['purpose']).slice(0, 64),
  channel_id: at.id,
  key_id: at.keyId,
  // Google writes whole numbers as texts.
  bytes: Math.max(0, Math.floor(numberOf(file['bytes']) || Number(file['sizeBytes']) || 0)),
  expires_at: expiryOf(api === 'gemini' ? file['expirationTime'] : file['expires_at']),
  body: JSON.stringify(file),
});

/** The row of a reservation. */
export const uploadKey = ({ userId, requestId }: Pick<Upload, 'userId' | 'requestId'>) => ({
  name: sha256(`upload ${requestId}`),
  user_id: userId,
});
/** A vendor may read an id without the spaces around it, so that such an id is not an unknown one. */
const plainId = (id: string): string => id.replaceAll(/[^!-~]/g, '');
const fileKey = (userId: number, fileId: string) => ({ name: sha256(fileId), user_id: userId });

export function createVendorFiles({ db, clock, maxUserBytes }: VendorFilesDeps): VendorFiles {
  const findRow = async (userId: number, fileId: string): Promise<rows.VendorObjectRow | undefined> => {
    const found = await rows.named(db, [sha256(fileId)], seconds(clock));
    return found.find((row) => row.user_id === userId);
  };
  return {
    async reserve(upload, { id, keyId }, bytes) {
      const now = seconds(clock);
      await rows.create(db, {
        ...uploadKey(upload),
        kind: kinds[upload.api],
        purpose: '',
        channel_id: id,
        key_id: keyId,
        bytes,
        expires_at: now + uploadSeconds,
        body: '',
      });
      // Of two uploads at once, the later one sees the row of the other.
      const size = await rows.sizeOf(db, upload.userId, Object.values(kinds), now);
      if (size.bytes <= maxUserBytes && size.objects <= maxFiles) return true;
      await rows.remove(db, uploadKey(upload));
      return false;
    },
    async keep(upload, file, bytes) {
      const end =
        upload.api === 'gemini'
          ? (file['expirationTime'] ?? seconds(clock) + googleSeconds)
          : file['expires_at'];
      const id = fileIdIn(upload.api, file);
      // A vendor may answer with a file that it has already.
      await rows.remove(db, fileKey(upload.userId, id));
      const kept = await rows.update(db, uploadKey(upload), {
        name: sha256(id),
        purpose: textOf(file['purpose']).slice(0, 64),
        bytes,
        expires_at: expiryOf(end),
        body: JSON.stringify(file),
      });
      if (!kept) throw new Error('the reservation of an upload has expired');
    },
    drop: (upload) => rows.remove(db, uploadKey(upload)),
    async find(userId, fileId) {
      const row = await findRow(userId, fileId);
      return row && { id: row.channel_id, keyId: row.key_id, purpose: row.purpose, body: row.body };
    },
    async findAll(userId, fileIds) {
      const all = [...new Set(fileIds)];
      const ids = all.slice(0, maxIds);
      const found = await rows.named(
        db,
        ids.map((id) => sha256(plainId(id))),
        seconds(clock),
      );
      let place: KeptAt | undefined;
      let missing = all[maxIds];
      for (const id of ids) {
        const ofId = found.filter(({ name }) => name === sha256(plainId(id)));
        const own = id === plainId(id) ? ofId.find((row) => row.user_id === userId) : undefined;
        if (own) place ??= { id: own.channel_id, keyId: own.key_id };
        const isElsewhere = own && (own.channel_id !== place?.id || own.key_id !== place.keyId);
        if (isElsewhere || (!own && ofId.length > 0)) missing ??= id;
      }
      if (missing !== undefined) return { id: 0, keyId: '', ...place, missing };
      return place;
    },
    async list(userId, { api, ids, purpose, after, descending, limit }) {
      const before = after === '' ? undefined : await findRow(userId, after);
      if (after !== '' && !before) return undefined;
      if (ids?.length === 0) return { files: [], hasMore: false };
      const found = await rows.list(db, {
        userId,
        kind: kinds[api],
        names: ids?.map((id) => sha256(id)),
        purpose,
        after: before?.id ?? 0,
        descending,
        limit: limit + 1,
        now: seconds(clock),
      });
      const files = found.slice(0, limit).flatMap(({ body }) => {
        const file: unknown = JSON.parse(body);
        return isObject(file) ? [file] : [];
      });
      return { files, hasMore: found.length > limit };
    },
    async describe(userId, fileId, file, end, transaction = db) {
      const change = { body: JSON.stringify(file), ...(end !== undefined && { expires_at: end }) };
      await rows.update(transaction, fileKey(userId, fileId), change);
    },
    add: (row, transaction = db) => rows.create(transaction, row),
    async unknownOf(ids) {
      const found = await rows.named(
        db,
        ids.map((id) => sha256(id)),
        seconds(clock),
      );
      const known = new Set(found.map(({ name }) => name));
      return new Set(ids.filter((id) => !known.has(sha256(id))));
    },
    async noteMade(userId, { id: channelId, keyId }, made) {
      const now = seconds(clock);
      const named = new Map(made.map((each) => [sha256(each.id), each.kind]));
      const known = await rows.named(db, [...named.keys()], now);
      for (const row of known) if (row.user_id !== userId) named.delete(row.name);
      const noted = [...named].map(([name, kind]) => ({
        name,
        user_id: userId,
        kind,
        purpose: '',
        channel_id: channelId,
        key_id: keyId,
        bytes: 0,
        expires_at: kind === 'container' ? now + containerSeconds : never,
        body: '',
      }));
      if (noted.length > 0) await rows.note(db, noted);
    },
    forget: (userId, fileId) => rows.remove(db, fileKey(userId, fileId)),
  };
}
