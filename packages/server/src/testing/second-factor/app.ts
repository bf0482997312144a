import { authApi, secondFactorApi } from '@tollgate/contract';
import { Secret, TOTP } from 'otpauth';
import { type Agent } from '../agent.ts';
import { browse, type TestBrowser } from './browse.ts';
import { type House, testPassword } from '../harness.ts';

/** An authenticator app. */
export interface TestApp {
  secret: string;
  /** The current code, or the code after a number of steps. */
  code: (steps?: number) => string;
  recoveryCodes: string[];
}

/** An app with a known secret, on the clock of the house. */
export const appOf = (house: Pick<House, 'time'>, secret: string): TestApp['code'] => {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return (steps = 0) => totp.generate({ timestamp: house.time.ms + steps * 30_000 });
};

/** Sets up an authenticator app and advances the clock past the step of its first code. */
export async function setUpApp(house: House, agent: Agent): Promise<TestApp> {
  const password = { password: testPassword };
  const made = (await agent.must(secondFactorApi.setUp, {}, password)) as {
    secret: string;
    backup_codes: string[];
  };
  const code = appOf(house, made.secret);
  await agent.must(secondFactorApi.enable, { code: code() }, password);
  house.time.ms += 60_000;
  return { secret: made.secret, code, recoveryCodes: made.backup_codes };
}

/** A browser after a correct password and before the second factor. */
export async function atSecondStep(house: House, username: string): Promise<TestBrowser> {
  const browser = browse(house);
  await browser.must(authApi.login, { username, password: testPassword });
  return browser;
}
