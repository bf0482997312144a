// Import rules between folders. docs/architecture.md explains them; tools/check-floors.mjs enforces them.
// Every folder must be named here. '*' matches one folder name.

const SERVER = 'packages/server/src/';
const WEB = 'packages/web/src/';
const CONTRACT = 'packages/contract/src';
const ENGINE = 'packages/http-engine/src';

/** Groups of services, and the groups that each may import. Services of one group may import each other, without a circle. */
const serviceGroups = {
  site: [],
  money: ['site'],
  calls: ['site', 'money'],
  people: ['site', 'money'],
  upkeep: ['site', 'money', 'calls', 'people'],
};

const groupFolder = (group) => `${SERVER}services/${group}/*`;
const serviceFloors = Object.fromEntries(
  Object.entries(serviceGroups).map(([group, below]) => [
    groupFolder(group),
    [
      CONTRACT,
      `${SERVER}lib`,
      `${SERVER}store`,
      `${SERVER}cache`,
      `${SERVER}relay/types`,
      ...[group, ...below].map(groupFolder),
    ],
  ]),
);

/** The relay, in order: each folder may import those before it. Protocols and providers never import their neighbours. */
const relayRooms = [
  'types',
  'streams',
  'conversation',
  'provider-kit',
  'families/embeddings',
  'families/openai',
  'families/google',
  'families/amazon',
  'presets',
  'protocols/*',
  'tasks/callers',
  'tasks',
  'providers/*',
].map((room) => `${SERVER}relay/${room}`);

const relayFloors = Object.fromEntries(
  relayRooms.map((room, index) => [room, [CONTRACT, `${SERVER}lib`, ...relayRooms.slice(0, index)]]),
);
const relay = [...relayRooms, `${SERVER}relay`];
const allServices = Object.keys(serviceGroups).map(groupFolder);

/** The gateway, in order: each folder may import those before it. Code that combines the folders is above them. */
const gatewayRooms = [
  'call',
  'hold',
  'entrance',
  'upstream',
  'answer',
  'failover',
  'journey',
  'options',
  'settle',
  'probe',
  'replay',
  'guards',
  'realtime',
  'tasks',
  'vendor-objects',
  'tools',
].map((room) => `${SERVER}gateway/${room}`);

const belowGateway = [CONTRACT, `${SERVER}lib`, ...relay, ...allServices];
const gatewayFloors = Object.fromEntries(
  gatewayRooms.map((room, index) => [room, [...belowGateway, ...gatewayRooms.slice(0, index)]]),
);
/** End-to-end tests of the gateway, by upstream and by client. */
const gatewayTests = [`${SERVER}gateway/vendors`, `${SERVER}gateway/clients`];

/** Folder → the folders it may import. Its own files are always allowed, except between siblings of a '*'. */
const productFloors = {
  [CONTRACT]: [],
  [ENGINE]: [],
  [`${ENGINE}/testing`]: [ENGINE],
  [`${SERVER}lib`]: [ENGINE],
  ...relayFloors,
  [`${SERVER}relay`]: [CONTRACT, `${SERVER}lib`, ...relay],
  [`${SERVER}store`]: [CONTRACT, `${SERVER}lib`],
  [`${SERVER}cache`]: [CONTRACT, `${SERVER}lib`],
  ...serviceFloors,
  ...gatewayFloors,
  ...Object.fromEntries(gatewayTests.map((folder) => [folder, ['*']])),
  [`${SERVER}gateway`]: [...belowGateway, ...gatewayRooms],
  [`${SERVER}http`]: [CONTRACT, ENGINE, `${SERVER}lib`, `${SERVER}gateway`, ...relay, ...allServices],
  [`${SERVER}jobs`]: [CONTRACT, `${SERVER}lib`, `${SERVER}gateway`, ...allServices],
  [`${SERVER}boot`]: ['*'],
  [`${SERVER}commands`]: ['*'],
  [`${SERVER}services/money/ledger/testing`]: [
    CONTRACT,
    `${SERVER}lib`,
    `${SERVER}store`,
    groupFolder('money'),
    // Two processes on one file.
    `${SERVER}testing`,
  ],
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

/** Folders outside the product: the product imports none of them. Like tests, they may bypass doors and use test helpers. */
export const besideProduct = ['tools', 'bench', 'deploy', 'e2e', 'website'];
const product = Object.keys(productFloors);

export const floors = {
  ...productFloors,
  // The build of the console.
  'packages/web': [],
  tools: [CONTRACT, groupFolder('money'), 'packages/web', `${WEB}shared`],
  'bench/parts': product,
  'bench/cases': ['bench/parts', ...product],
  'bench/tables': ['bench/parts', 'bench/cases', CONTRACT],
  bench: ['bench/parts', 'bench/cases', 'bench/tables', ...product],
  deploy: ['website', ...product],
  website: product,
  'e2e/support': product,
  e2e: ['e2e/support', 'tools', ...product],
};

/** Folders whose only entry is their `index.ts`. Tests and test helpers may import their other files. */
export const doors = [...allServices, ...relayRooms, ...gatewayRooms, `${SERVER}gateway`, ENGINE];

/** Folders that only tests may import. */
export const testOnly = [
  `${ENGINE}/testing`,
  `${SERVER}services/money/ledger/testing`,
  `${SERVER}testing`,
  ...gatewayTests,
  `${WEB}testing`,
];

/** Packages that only one folder (or file) may import: all other code uses its exports. */
export const owned = {
  kysely: [`${SERVER}store`],
  pg: [`${SERVER}store`],
  mysql2: [`${SERVER}store`],
  'node:sqlite': [`${SERVER}store`],
  '@modelcontextprotocol/sdk': [`${SERVER}gateway/upstream`, `${SERVER}gateway/tools`, `${SERVER}commands`],
  'prom-client': [`${SERVER}services/site/metrics`],
  fastify: [`${SERVER}http`],
  undici: ['bounded-pool', 'node-client', 'proxied-http', 'undici-call'].map(
    (file) => `${SERVER}lib/outbound/${file}.ts`,
  ),
  ws: [`${SERVER}lib/websocket`, `${SERVER}testing`],
  ioredis: [`${SERVER}cache`],
  // Loading a vocabulary takes a quarter of a second: never in the thread of the event loop.
  'gpt-tokenizer': [`${SERVER}lib/token-count/token-count-worker.ts`],
  // A document takes half a second.
  pdfkit: [`${SERVER}lib/pdf/pdf-worker.ts`],
  // A hash takes tens of milliseconds.
  bcryptjs: [`${SERVER}lib/bcrypt/bcrypt-worker.ts`, `${SERVER}testing`],
  aws4fetch: [`${SERVER}relay/providers/bedrock`],
  // 0.8 MB, loaded at the first sign-in by SAML.
  '@node-saml/node-saml': [`${SERVER}services/people/oauth/saml.ts`],
  '@xmldom/xmldom': [`${SERVER}services/people/oauth/saml.ts`],
  '@noble/ciphers': [`${SERVER}commands/import/litellm/decrypt.ts`, `${SERVER}testing`],
  '@smithy/eventstream-codec': [`${SERVER}lib/aws-frames.ts`],
};

/** Folders that still import each other in a circle, with the reason. The list only shrinks. */
export const circles = [];
