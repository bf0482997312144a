// The law of the house: who may import whom. docs/architecture.md explains it; tools/check-floors.mjs enforces it.
// A folder not named here may not exist. '*' stands for one folder name.

const SERVER = 'packages/server/src/';
const WEB = 'packages/web/src/';
const CONTRACT = 'packages/contract/src';

/** Services, in order: each may import those that stand before it, so a circle cannot be written. */
export const services = [
  'settings',
  'notify',
  'pricing',
  'ledger',
  'accounts',
  'auth',
  'tokens',
  'channels',
  'routing',
  'metering',
  'idempotency',
  'rate-limit',
  'sensitive-words',
  'redemptions',
  'payments',
  'tasks',
  'logs',
  'setup',
  'status',
];

const serviceFloors = Object.fromEntries(
  services.map((name, index) => [
    `${SERVER}services/${name}`,
    [
      CONTRACT,
      `${SERVER}lib`,
      `${SERVER}store`,
      `${SERVER}cache`,
      `${SERVER}relay/model`,
      ...services.slice(0, index).map((earlier) => `${SERVER}services/${earlier}`),
    ],
  ]),
);

const relay = [
  `${SERVER}relay/model`,
  `${SERVER}relay/protocols/*`,
  `${SERVER}relay/providers/*`,
  `${SERVER}relay`,
];
const allServices = services.map((name) => `${SERVER}services/${name}`);

/** Folder → the folders it may import. Its own files are always allowed, except among siblings of a '*'. */
export const floors = {
  [CONTRACT]: [],
  [`${SERVER}lib`]: [],
  [`${SERVER}relay/model`]: [CONTRACT, `${SERVER}lib`],
  [`${SERVER}relay/protocols/*`]: [CONTRACT, `${SERVER}lib`, `${SERVER}relay/model`],
  [`${SERVER}relay/providers/*`]: [
    CONTRACT,
    `${SERVER}lib`,
    `${SERVER}relay/model`,
    `${SERVER}relay/protocols/*`,
  ],
  [`${SERVER}relay`]: [CONTRACT, `${SERVER}lib`, ...relay],
  [`${SERVER}store`]: [CONTRACT, `${SERVER}lib`],
  [`${SERVER}cache`]: [CONTRACT, `${SERVER}lib`],
  ...serviceFloors,
  [`${SERVER}gateway`]: [CONTRACT, `${SERVER}lib`, ...relay, ...allServices],
  [`${SERVER}http`]: [CONTRACT, `${SERVER}lib`, `${SERVER}gateway`, ...relay, ...allServices],
  [`${SERVER}jobs`]: [CONTRACT, `${SERVER}lib`, `${SERVER}gateway`, ...allServices],
  [`${SERVER}testing`]: ['*'],
  [SERVER.slice(0, -1)]: ['*'],
  [`${WEB}lib`]: [CONTRACT],
  [`${WEB}ui`]: [`${WEB}lib`],
  [`${WEB}shared`]: [CONTRACT, `${WEB}lib`, `${WEB}ui`],
  [`${WEB}features/*`]: [CONTRACT, `${WEB}lib`, `${WEB}ui`, `${WEB}shared`],
  [`${WEB}app`]: ['*'],
  [`${WEB}testing`]: ['*'],
  [WEB.slice(0, -1)]: ['*'],
};

/** Folders that only tests may import. */
export const testOnly = [`${SERVER}testing`, `${WEB}testing`];

/** Packages that one folder (or file) alone may import: everyone else goes through its door. */
export const owned = {
  kysely: [`${SERVER}store`],
  pg: [`${SERVER}store`],
  mysql2: [`${SERVER}store`],
  'node:sqlite': [`${SERVER}store`],
  fastify: [`${SERVER}http`],
  undici: [`${SERVER}lib/http.ts`],
  ws: [`${SERVER}lib/websocket.ts`, `${SERVER}lib/frame-socket.ts`, `${SERVER}testing`],
  ioredis: [`${SERVER}cache`],
  aws4fetch: [`${SERVER}relay/providers/bedrock`],
  '@smithy/eventstream-codec': [`${SERVER}lib/aws-frames.ts`],
};

/** Lines a source file may have: above the first the checker says so, above the second it fails. */
export const lengths = { intent: 300, force: 400 };
