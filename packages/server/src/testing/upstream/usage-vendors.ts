import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A vendor's answer to one query. */
interface UsageAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** JSON, or a text unchanged. */
  body: unknown;
}

/** A received query: its path, parameters and credentials. */
interface UsageQuestionSeen {
  path: string;
  query: Record<string, string>;
  headers: NodeJS.Dict<string | string[]>;
}

/** The vendors' calls for the usage of an account, on one socket. */
export interface FakeUsageVendors {
  url: string;
  /** Sets the answers of a path from now on, page after page; the last one repeats. Other paths answer an empty page. */
  answer(path: string, ...pages: UsageAnswer[]): void;
  /** Holds the answer of a path until the returned function is called. */
  hold(path: string): () => void;
  asked: UsageQuestionSeen[];
  close(): Promise<void>;
}

const emptyPage: UsageAnswer = { body: { object: 'page', data: [], has_more: false, next_page: null } };

/** Starts them. */
export async function openUsageVendors(): Promise<FakeUsageVendors> {
  const answers = new Map<string, UsageAnswer[]>();
  const held = new Map<string, Promise<void>>();
  const asked: UsageQuestionSeen[] = [];
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://vendor');
    asked.push({ path: pathname, query: Object.fromEntries(searchParams), headers: req.headers });
    const pages = answers.get(pathname) ?? [];
    const { status = 200, headers = {}, body } = (pages.length > 1 ? pages.shift() : pages[0]) ?? emptyPage;
    const send = () =>
      res
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    void (held.get(pathname) ?? Promise.resolve()).then(send);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (path, ...pages) => void answers.set(path, pages),
    hold(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return resolve;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
