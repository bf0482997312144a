import type { CallOf, Route } from '@tollgate/contract';
import type { House } from '../harness.ts';
import { createAgent } from '../agent.ts';

type Reply = Awaited<ReturnType<ReturnType<typeof createAgent>['call']>>;

/** A browser that keeps every cookie, independent of the signed-in user. */
export interface TestBrowser {
  /** Tests may change the cookies, for example to simulate a copied cookie. */
  cookies: Map<string, string>;
  /** Makes a declared call. `as` is the user id that the console sends. */
  call<R extends Route>(route: R, input: CallOf<R>, as?: number): Promise<Reply>;
  /** Data of a declared call; throws on a refusal. */
  must<R extends Route>(route: R, input: CallOf<R>, as?: number): Promise<unknown>;
}

/** Opens a browser without cookies. */
export function browse(house: Pick<House, 'app'>): TestBrowser {
  const agent = createAgent(house.app);
  const cookies = new Map<string, string>();
  const browser: TestBrowser = {
    cookies,
    async call(route, input, as) {
      agent.headers = {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(as !== undefined && { 'new-api-user': String(as) }),
      };
      const reply = await agent.call(route, input);
      for (const each of reply.cookies) {
        const [name = '', value = ''] = each.split(';', 1)[0]!.split('=');
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return reply;
    },
    async must(route, input, as) {
      const { body } = await browser.call(route, input, as);
      if (body.success !== true) throw new Error(`${route.method} ${route.path}: ${body.message}`);
      return body.data;
    },
  };
  return browser;
}
