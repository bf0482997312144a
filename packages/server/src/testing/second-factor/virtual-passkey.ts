import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { NewCredential, ShownCredential } from '@tollgate/contract';

/** Request of the server to a device. */
interface Asked {
  challenge?: unknown;
  user?: { id?: string };
  rpId?: unknown;
}

export interface VirtualPasskey {
  id: string;
  /** Answer of the device to a registration. */
  make(asked: unknown): NewCredential;
  /** Answer to a sign-in. Each one increments the counter. */
  show(asked: unknown): ShownCredential;
}

interface DeviceOptions {
  /** Origin of the page, as the browser reports it. */
  origin: string;
  /** Relying party id of the key. Default: the host name of the origin. */
  rpId?: string;
  /** False for a device without user verification. */
  isVerified?: boolean;
  /** Fixed counter, as in a cloned device. */
  counter?: number;
}

const base64url = (bytes: Buffer): string => bytes.toString('base64url');
const hash = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();

/** A CBOR text shorter than 24 bytes. */
const cborText = (text: string): Buffer => Buffer.from([0x60 + text.length, ...Buffer.from(text)]);
const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

/** A public key in COSE format: an EC2 key for ES256 on P-256 (RFC 9053, 7.1). */
function coseKeyOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ]);
}

/** Attestation of format `none`: only the authenticator data. */
const attestationOf = (data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([0xa3]),
    cborText('fmt'),
    cborText('none'),
    cborText('attStmt'),
    Buffer.from([0xa0]),
    cborText('authData'),
    Buffer.from([0x59]),
    uint16(data.length),
    data,
  ]);

/** A device with one passkey of its user: ES256, attestation `none` (WebAuthn Level 3, 6.1 and 6.5). */
export function createPasskey(options: DeviceOptions): VirtualPasskey {
  const { origin, rpId = new URL(origin).hostname, isVerified = true } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const coseKey = coseKeyOf(publicKey);
  const credentialId = randomBytes(32);
  const id = base64url(credentialId);
  let shown = 0;
  let userHandle = '';

  const clientData = (type: string, { challenge }: Asked): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (counter: number, attested: Buffer): Buffer => {
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([hash(rpId), Buffer.from([flags]), count, attested]);
  };
  const common = { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const;

  return {
    id,
    make(given) {
      const asked = given as Asked;
      userHandle = asked.user?.id ?? '';
      const attested = Buffer.concat([Buffer.alloc(16), uint16(credentialId.length), credentialId, coseKey]);
      const attestationObject = attestationOf(authenticatorData(0, attested));
      return {
        ...common,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', asked)),
          attestationObject: base64url(attestationObject),
          transports: ['internal'],
        },
      };
    },
    show(given) {
      shown += 1;
      const client = clientData('webauthn.get', given as Asked);
      const data = authenticatorData(options.counter ?? shown, Buffer.alloc(0));
      return {
        ...common,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', Buffer.concat([data, hash(client)]), privateKey)),
          userHandle,
        },
      };
    },
  };
}
