import { createPrivateKey, generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { setDefaultCACertificates, getCACertificates } from 'node:tls';

/** A certificate and its key, both PEM. */
export interface TestCertificate {
  cert: string;
  key: string;
}

/** One DER element: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const size = body.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
/** Object identifiers in DER. */
const oid = {
  ecdsaWithSha256: bytes('06082a8648ce3d040302'),
  rsaWithSha256: bytes('06092a864886f70d01010b'),
  commonName: bytes('0603550403'),
  subjectAltName: bytes('0603551d11'),
  basicConstraints: bytes('0603551d13'),
};
const year = (years: number): Buffer => {
  const text = new Date(Date.now() + years * 31_557_600_000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(text));
};

/** A self-signed certificate of a test server for `localhost`, 127.0.0.1 and `hosts`, valid for a year. */
export const makeTestCertificate = (...hosts: readonly string[]): TestCertificate =>
  certify(generateKeyPairSync('ec', { namedCurve: 'P-256' }), sequence(oid.ecdsaWithSha256), hosts);

/** A self-signed certificate with an RSA key, for signatures. */
export const makeRsaCertificate = (): TestCertificate =>
  certify(generateKeyPairSync('rsa', { modulusLength: 2048 }), sequence(oid.rsaWithSha256, der(0x05)), []);

function certify(
  { publicKey, privateKey }: KeyPairKeyObjectResult,
  algorithm: Buffer,
  hosts: readonly string[],
): TestCertificate {
  const name = sequence(der(0x31, sequence(oid.commonName, der(0x0c, Buffer.from('localhost')))));
  const hostNames = ['localhost', ...hosts].map((host) => der(0x82, Buffer.from(host)));
  const names = sequence(...hostNames, der(0x87, bytes('7f000001')));
  const isAuthority = sequence(der(0x01, bytes('ff')));
  const extensions = sequence(
    sequence(oid.basicConstraints, der(0x01, bytes('ff')), der(0x04, isAuthority)),
    sequence(oid.subjectAltName, der(0x04, names)),
  );
  const body = sequence(
    der(0xa0, der(0x02, bytes('02'))),
    der(0x02, bytes('01')),
    algorithm,
    name,
    sequence(year(-1), year(1)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signature = sign('sha256', body, createPrivateKey(key));
  const whole = sequence(body, algorithm, der(0x03, bytes('00'), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return { key, cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n') };
}

/** Makes this process trust a certificate, as if an operator had installed it; returns a function that undoes this. */
export function trustCertificate(cert: string): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  return () => setDefaultCACertificates(before);
}
