import { argon2, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@tollgate/contract';
import pLimit from 'p-limit';
import { isBcrypt, matchesBcrypt } from '../../../lib/bcrypt/bcrypt.ts';
import { randomText } from '../../../lib/random.ts';

/** The cost parameters of a hash. */
export interface PasswordCost {
  /** KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's minimum for argon2id (ASVS 11.4.2): 19 MiB, two passes, one lane; about 50 ms. */
export const passwordCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };

interface PasswordCheck {
  matches: boolean;
  /**
   * True if the stored hash has other cost parameters, or was imported from another gateway (bcrypt), and should be
   * replaced while the password is known.
   */
  outdated: boolean;
}

/** Creates and checks password hashes. All functions throw `server_busy` when too many wait. */
export interface Passwords {
  /** `argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`. */
  hash(password: string): Promise<string>;
  /**
   * Takes as long for '' (no such user, no password) as for any stored hash, so that the time reveals nothing. If the
   * site has bcrypt hashes, every check also takes the time of one.
   */
  check(password: string, stored: string): Promise<PasswordCheck>;
}

interface PasswordDeps {
  masterKey: Buffer;
  cost?: PasswordCost;
  /** Maximum number of simultaneous hashes; fewer than the threads of the pool, which also serves files and DNS. */
  atOnce?: number;
  /** Maximum number of waiting hashes; further ones are refused. */
  queue?: number;
  /** True while users have bcrypt hashes from an import (docs/how-to/move-in.md). */
  hasBcrypt?: () => Promise<boolean>;
}

interface Parsed {
  cost: PasswordCost;
  salt: Buffer;
  hash: Buffer;
}

const pattern = /^argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/;

function parse(stored: string): Parsed | null {
  const found = pattern.exec(stored);
  if (!found) return null;
  const [, memory, passes, parallelism, salt = '', hash = ''] = found;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

/** Runs at most `atOnce` tasks and queues up to `queue` more; throws `server_busy` above that. */
function createQueue(atOnce: number, queue: number) {
  const limit = pLimit(atOnce);
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.activeCount + limit.pendingCount >= atOnce + queue) throw new AppError('server_busy');
    return limit(work);
  };
}

/** The hash of a password with a salt, cost parameters and the site's pepper. */
function derive(
  pepper: Buffer,
  password: string,
  salt: Buffer,
  { memory, passes, parallelism }: PasswordCost,
): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  const parameters = { message, nonce: salt, secret: pepper, tagLength: 32, memory, passes, parallelism };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** argon2id with a pepper derived from the master key: a stolen table is useless without it. */
export function createPasswords({
  masterKey,
  cost = passwordCost,
  atOnce = 2,
  queue = 64,
  hasBcrypt = () => Promise.resolve(false),
}: PasswordDeps): Passwords {
  const pepper = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate passwords v1', 32));
  const inTurn = createQueue(atOnce, queue);
  const nobody: Parsed = { cost, salt: randomBytes(16), hash: randomBytes(32) };
  // The cost of one-api and new-api; the text has the format of a hash and belongs to no known password.
  const nobodysBcrypt = `$2a$10$${randomText(53)}`;

  const checkBcrypt = async (password: string, stored: string): Promise<boolean> => {
    const isOne = isBcrypt(stored);
    if (!isOne && !(await hasBcrypt())) return false;
    return (await matchesBcrypt(password, isOne ? stored : nobodysBcrypt)) && isOne;
  };

  return {
    async hash(password) {
      const salt = randomBytes(16);
      const key = await inTurn(() => derive(pepper, password, salt, cost));
      const costs = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
      return `argon2id$v=19$${costs}$${salt.toString('base64url')}$${key.toString('base64url')}`;
    },
    async check(password, stored) {
      const parsed = parse(stored);
      const target = parsed ?? nobody;
      const [key, matchesOther] = await inTurn(async (): Promise<[Buffer, boolean]> => [
        await derive(pepper, password, target.salt, target.cost),
        await checkBcrypt(password, stored),
      ]);
      const same = key.length === target.hash.length && timingSafeEqual(key, target.hash);
      const { memory, passes, parallelism } = target.cost;
      const isOtherwise =
        memory !== cost.memory || passes !== cost.passes || parallelism !== cost.parallelism;
      return {
        matches: matchesOther || (parsed !== null && same),
        outdated: matchesOther || isOtherwise,
      };
    },
  };
}
