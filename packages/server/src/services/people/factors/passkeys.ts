import { createHmac, hkdfSync } from 'node:crypto';
import { AppError, type ErrorCode, type NewCredential, type ShownCredential } from '@tollgate/contract';
import { isIP } from 'node:net';
import { seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { inTransaction, passkeys, users } from '../../../store/index.ts';
import { isAnswered, type Question, remember } from './challenges.ts';
import type { FactorsDeps } from './deps.ts';

/** Maximum number of passkeys of one account. */
const maxPasskeys = 20;

/** `publicKey` of `navigator.credentials`, as JSON. */
export type PublicKeyOptions = Record<string, unknown>;

/**
 * Signing in with passkeys on the user's devices (WebAuthn). Every passkey requires user verification: a PIN, a
 * fingerprint or a face.
 */
export interface Passkeys {
  /** False if the site has no address, because passkeys are bound to its domain name. */
  isPossible(): boolean;
  /** Options for creating a passkey. Throws `passkey_address_missing`, `passkey_limit`. */
  beginRegistration(user: { id: number; username: string }, browser: string): Promise<PublicKeyOptions>;
  /** Stores a new passkey. Throws `passkey_refused`, `passkey_known`, `passkey_limit`. */
  register(userId: number, browser: string, made: NewCredential, name: string): Promise<void>;
  /**
   * Options for using a passkey. Throws `passkey_address_missing`, and `second_factor_missing` for a user without
   * one.
   */
  ask(question: Question): Promise<PublicKeyOptions>;
  /** The user whose passkey answered. Throws `passkey_refused`. */
  answer(question: Question, shown: ShownCredential): Promise<number>;
}

/** EdDSA, ES256 and RS256: the algorithms of present devices. */
const algorithms = [-8, -7, -257];

/** The library is large, and most processes never need it. */
const library = () => import('@simplewebauthn/server');

export function createPasskeys(deps: FactorsDeps): Passkeys {
  const key = Buffer.from(
    hkdfSync('sha256', deps.masterKey, Buffer.alloc(0), 'tollgate passkey users v1', 32),
  );
  return new SitePasskeys(deps, key);
}

class SitePasskeys implements Passkeys {
  private readonly deps: FactorsDeps;
  private readonly userKey: Buffer;

  constructor(deps: FactorsDeps, userKey: Buffer) {
    this.deps = deps;
    this.userKey = userKey;
  }

  isPossible(): boolean {
    return this.address() !== undefined;
  }

  async beginRegistration(
    user: { id: number; username: string },
    browser: string,
  ): Promise<PublicKeyOptions> {
    const { hostname } = this.site();
    const { db, settings } = this.deps;
    const known = await passkeys.ofUser(db, user.id);
    if (known.length >= maxPasskeys) throw new AppError('passkey_limit', { limit: maxPasskeys });
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: settings.get('SystemName'),
      rpID: hostname,
      userID: new Uint8Array(this.handleOf(user.id)),
      userName: user.username,
      userDisplayName: user.username,
      excludeCredentials: known.map(credentialOf),
      supportedAlgorithmIDs: algorithms,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await remember(this.deps, options.challenge, { purpose: 'register', browser, userId: user.id });
    return { ...options };
  }

  async register(userId: number, browser: string, made: NewCredential, name: string): Promise<void> {
    const { verifyRegistrationResponse } = await library();
    const question: Question = { purpose: 'register', browser, userId };
    const checked = await this.refusing(() =>
      verifyRegistrationResponse({
        response: made as never,
        supportedAlgorithmIDs: algorithms,
        ...this.expected(question),
      }),
    );
    if (!checked.verified) throw new AppError('passkey_refused');
    const { credential, credentialBackedUp } = checked.registrationInfo;
    const row = {
      user_id: userId,
      id_hash: sha256(credential.id),
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (made.response.transports ?? []).join(',').slice(0, 255),
      name,
      backed_up: credentialBackedUp ? 1 : 0,
      created_time: seconds(this.deps.clock),
      used_time: 0,
    };
    await inTransaction(this.deps.db, async (db) => {
      await users.findLocked(db, userId);
      if ((await passkeys.ofUser(db, userId)).length >= maxPasskeys) {
        throw new AppError('passkey_limit', { limit: maxPasskeys });
      }
      if (!(await passkeys.add(db, row))) throw new AppError('passkey_known');
    });
  }

  async ask(question: Question): Promise<PublicKeyOptions> {
    const { hostname } = this.site();
    const { generateAuthenticationOptions } = await library();
    const known = question.userId === 0 ? [] : await passkeys.ofUser(this.deps.db, question.userId);
    if (question.userId !== 0 && known.length === 0) throw new AppError('second_factor_missing');
    const options = await generateAuthenticationOptions({
      rpID: hostname,
      userVerification: 'required',
      allowCredentials: known.map(credentialOf),
    });
    await remember(this.deps, options.challenge, question);
    return { ...options };
  }

  async answer(question: Question, shown: ShownCredential): Promise<number> {
    const row = await passkeys.find(this.deps.db, sha256(shown.id));
    try {
      return await this.check(question, shown, row);
    } catch (error) {
      if (error instanceof AppError && row) await this.noteRefusal(row, error.code);
      throw error;
    }
  }

  /** Records a refused passkey in the audit log and the process log. */
  private async noteRefusal(row: passkeys.PasskeyRow, outcome: ErrorCode): Promise<void> {
    const { db, audit, log } = this.deps;
    log.warn({ userId: row.user_id, passkeyId: row.id }, 'a passkey was not accepted');
    const target = { type: 'user', id: row.user_id } as const;
    await audit.record(db, { kind: 'second_factor.check', outcome, target, method: 'passkey' });
  }

  private async check(
    question: Question,
    shown: ShownCredential,
    row: passkeys.PasskeyRow | undefined,
  ): Promise<number> {
    const { db, clock } = this.deps;
    const isTheirs = row !== undefined && [0, row.user_id].includes(question.userId);
    const handle = shown.response.userHandle ?? '';
    if (!isTheirs || (handle !== '' && handle !== this.handleOf(row.user_id).toString('base64url'))) {
      throw new AppError('passkey_refused');
    }
    const { verifyAuthenticationResponse } = await library();
    const { id } = credentialOf(row);
    const publicKey = new Uint8Array(Buffer.from(row.public_key, 'base64url'));
    const checked = await this.refusing(() =>
      verifyAuthenticationResponse({
        response: shown as never,
        credential: { id, publicKey, counter: row.counter },
        ...this.expected(question),
      }),
    );
    const counter = checked.authenticationInfo.newCounter;
    // A device with a signature counter uses each number once: a copy would repeat a number.
    if (!checked.verified || !(await passkeys.noteUse(db, row, { counter, now: seconds(clock) }))) {
      throw new AppError('passkey_refused');
    }
    return row.user_id;
  }

  private expected(question: Question) {
    const { origin, hostname } = this.site();
    return {
      expectedChallenge: (challenge: string) => isAnswered(this.deps, challenge, question),
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
    };
  }

  /** The site's relying party id; an address without a domain name cannot have passkeys. */
  private address(): URL | undefined {
    const address = this.deps.settings.get('ServerAddress');
    if (!URL.canParse(address)) return undefined;
    const url = new URL(address);
    return isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url : undefined;
  }

  private site(): URL {
    const address = this.address();
    if (!address) throw new AppError('passkey_address_missing');
    return address;
  }

  /** The user handle on devices, which does not identify the user. */
  private handleOf(userId: number): Buffer {
    return createHmac('sha256', this.userKey).update(String(userId)).digest();
  }

  /** The library throws for every invalid answer; the cause is logged. */
  private async refusing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) throw error;
      this.deps.log.warn({ err: error }, 'a passkey was not accepted');
      throw new AppError('passkey_refused', {}, error);
    }
  }
}

const credentialOf = ({ credential_id: id, transports }: passkeys.PasskeyRow) => ({
  id,
  ...(transports !== '' && { transports: transports.split(',') }),
});
