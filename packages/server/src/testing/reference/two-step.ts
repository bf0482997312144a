import { Secret, TOTP } from 'otpauth';
import { createPasskey } from '../second-factor/virtual-passkey.ts';
import type { Person, ReferenceWorld } from './world.ts';

/** Values that exist only at run time, and the caller. */
interface Prepared {
  input?: Record<string, unknown>;
  as?: Person;
}

const password = 'correct horse battery';
/** Site address in the examples, and origin of its passkeys. */
const origin = 'https://gate.example';
const again = (person: Person): Person => ({ ...person, 'x-current-password': encodeURIComponent(password) });

/** Argument of the browser's WebAuthn call. */
const publicKeyOf = (data: unknown): unknown =>
  (data as { options: { publicKey: unknown } }).options.publicKey;

/** Cookies of an answer, as a Cookie header. */
const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

/** Creates people for one example each: with a secret, with an app, with a passkey. */
function newcomers(world: ReferenceWorld, root: () => Person) {
  let made = 0;
  const newcomer = async (): Promise<{ username: string; person: Person }> => {
    made += 1;
    const username = `factor-${made}`;
    await world.must('POST', '/api/user/', root(), { username, password, display_name: '' });
    return { username, person: await world.logIn(username) };
  };
  /** A person with a proposed secret. `code` is the code of their app now or after a number of steps. */
  const proposed = async () => {
    const somebody = await newcomer();
    const data = await world.must('POST', '/api/user/2fa/setup', again(somebody.person), {});
    const totp = new TOTP({ secret: Secret.fromBase32((data as { secret: string }).secret) });
    const code = (steps = 0) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
    return { ...somebody, code };
  };
  const withApp = async () => {
    const somebody = await proposed();
    await world.must('POST', '/api/user/2fa/enable', again(somebody.person), { code: somebody.code() });
    return somebody;
  };
  const asked = async (person: Person, path: string) =>
    publicKeyOf(await world.must('POST', `/api/user/passkey/${path}`, person, {}));
  const withPasskey = async () => {
    const { person } = await newcomer();
    const passkey = createPasskey({ origin });
    const options = await asked(again(person), 'register/begin');
    await world.must('POST', '/api/user/passkey/register/finish', person, { ...passkey.make(options) });
    const listed = (await world.must('GET', '/api/user/passkey', person)) as { passkeys: { id: number }[] };
    return { person, passkey, id: listed.passkeys[0]?.id };
  };
  return { newcomer, proposed, withApp, asked, withPasskey };
}

/** Codes and keys for the examples of the second factor. Each belongs to a new person. */
export function twoStepExamples(
  world: ReferenceWorld,
  root: () => Person,
): Readonly<Record<string, () => Promise<Prepared>>> {
  const { newcomer, proposed, withApp, asked, withPasskey } = newcomers(world, root);
  return {
    'POST /api/user/login/2fa': async () => {
      const { username, code } = await withApp();
      const first = await world.request('POST', '/api/user/login', {}, { username, password });
      return { input: { code: code(1) }, as: { cookie: cookiesOf(first.headers) } };
    },
    'POST /api/user/2fa/enable': async () => {
      const { person, code } = await proposed();
      return { input: { code: code() }, as: person };
    },
    'POST /api/user/2fa/disable': async () => ({ as: (await withApp()).person }),
    'POST /api/user/2fa/backup_codes': async () => ({ as: (await withApp()).person }),
    'POST /api/user/passkey/login/finish': async () => {
      const { passkey } = await withPasskey();
      const begun = await world.request('POST', '/api/user/passkey/login/begin', {}, {});
      const options = publicKeyOf((begun.body as { data: unknown }).data);
      return { input: { ...passkey.show(options) }, as: { cookie: cookiesOf(begun.headers) } };
    },
    'DELETE /api/user/passkey/:id': async () => {
      const { person, id } = await withPasskey();
      return { input: { id }, as: person };
    },
    'PUT /api/user/passkey/:id': async () => {
      const { person, id } = await withPasskey();
      return { input: { id }, as: person };
    },
    'POST /api/user/passkey/register/finish': async () => {
      const { person } = await newcomer();
      const options = await asked(again(person), 'register/begin');
      return { input: { ...createPasskey({ origin }).make(options) }, as: person };
    },
    'POST /api/user/passkey/verify/begin': async () => ({ as: (await withPasskey()).person }),
    'POST /api/user/passkey/verify/finish': async () => {
      const { person, passkey } = await withPasskey();
      return { input: { ...passkey.show(await asked(person, 'verify/begin')) }, as: person };
    },
  };
}
