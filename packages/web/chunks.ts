/**
 * Which modules share a file. Left alone, the bundler makes a file for every set of pages that share something, and a
 * page asks for fifty of them: on a far server each row of requests costs a journey. These groups keep a first visit
 * at a handful of files, and a group only holds what most of its visitors need.
 */
export const chunkGroups = [
  // What the entry itself imports: the framework, the router, the frame around every page.
  { name: 'base', tags: ['$initial' as const], priority: 9 },
  // Tables with their filters and pages, which the log-in and the first page have none of.
  {
    name: 'table',
    test: /packages\/web\/src\/shared\/(data-table\/(?!view-name)|filter-bar\/filter-bar)|@mantine\/.*\/(Pagination|use-pagination|Collapse|use-collapse|Checkbox\/(?!CheckIcon))\/?/,
    includeDependenciesRecursively: false,
    priority: 8.5,
  },
  // Forms: those of the log-in and the sign-up are in sight, all others open in drawers.
  {
    name: 'form',
    test: /node_modules\/(@mantine\/form|klona|fast-deep-equal)\//,
    priority: 8.5,
  },
  // Drawers and dialogs, which open over a page.
  {
    name: 'dialogs',
    test: /node_modules\/(@mantine\/core\/esm\/components\/(Modal|ModalBase|Drawer)|react-remove-scroll[\w-]*|react-style-singleton|use-sidecar|use-callback-ref|tslib|get-nonce)\/|web\/src\/shared\/form-drawer\/form-drawer\.tsx/,
    includeDependenciesRecursively: false,
    priority: 8.5,
  },
  // Lists that one chooses from, which open in forms; filters have the browser's own.
  {
    name: 'select',
    test: /@mantine\/core\/esm\/components\/(Combobox\/(?!ComboboxChevron|Combobox\.module|get-parsed)|Select\/|ScrollArea\/(?!utils)|Pill)|web\/src\/shared\/search-select\//,
    includeDependenciesRecursively: false,
    priority: 8.5,
  },
  // What the log-in and the sign-up need beside the base; all other pages need it as well.
  {
    name: 'kit',
    test: /node_modules\/(@mantine\/core\/esm\/(core|utils|components\/(PasswordInput|Group|InputBase|TextInput|Input))|@tanstack)\/|packages\/web\/src\/(ui\/(password-field|stripes)|lib\/(?!api\/|format\/)|shared\/url-state\/)|packages\/contract\/src\/api\/(email|oauth)/,
    minShareCount: 2,
    priority: 8,
  },
  // What log-in, sign-up, the way back in and the page of one's own account share; nothing of the other pages.
  {
    name: 'auth',
    test: /packages\/web\/src\/(features\/auth\/(?!factor-queries|factor-text|second-step|passkey-sign-in)|shared\/(email-code|human-check)\/)/,
    minShareCount: 2,
    priority: 7,
  },
  // What the page of one's own account has, and hardly another.
  {
    name: 'account',
    test: /features\/personal\/two-step\/(text|recovery-codes|two-step\.module)|web\/src\/shared\/(device\/|personal-data\/(?!export\.ts))/,
    includeDependenciesRecursively: false,
    priority: 6.5,
  },
  // Tooltips with more than a name, and choices side by side: some pages have them, most have not.
  {
    name: 'controls',
    test: /@mantine\/core\/esm\/components\/(Tooltip|SegmentedControl|FloatingIndicator)\//,
    includeDependenciesRecursively: false,
    priority: 6.5,
  },
  {
    name: 'radio',
    test: /@mantine\/core\/esm\/components\/Radio\//,
    includeDependenciesRecursively: false,
    priority: 6.5,
  },
  // Fields that few pages and some drawers have.
  {
    name: 'choices',
    test: /components\/(MultiSelect|TagsInput)\/|web\/src\/shared\/names-input\./,
    includeDependenciesRecursively: false,
    priority: 6.5,
  },
  {
    name: 'numbers',
    test: /node_modules\/(react-number-format|@mantine\/core\/esm\/components\/NumberInput)\/|web\/src\/shared\/(quota-field|form-drawer\/presets)\./,
    includeDependenciesRecursively: false,
    priority: 6.5,
  },
  // Fields and parts of the pages behind the log-in.
  {
    name: 'parts',
    test: /node_modules\/(@mantine\/(core|hooks)|lucide-react)\/|packages\/contract\/src\/api\/(?!budget|channels\/routing|channels\/channel-limits|reconciliation|team|prices|price-|personal-data|redemption|wallet|audit|user\.ts)|packages\/contract\/src\/tags\.|packages\/web\/src\/(lib\/format\/|ui\/|shared\/(?!audit|budgets|channel-rule|device|key-cells|keys|data-table|price-rehearsal|prices\/tables-query|date-time\/(date-time-field|credit-end-field)|rich-html|snippets|try-it))/,
    minShareCount: 2,
    priority: 6,
  },
  // The pages of drawings, songs and videos, which no other page needs anything of.
  {
    name: 'tasks',
    test: /packages\/(web\/src\/features\/tasks|contract\/src\/api\/usage\/task)|lucide-react\/dist\/esm\/icons\/(video|eighth-notes|image-off|play|maximize-2)\./,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 8.2,
  },
  // Budgets, which open late wherever they are shown.
  {
    name: 'budgets',
    test: /packages\/(web\/src\/shared\/budgets\/(?!lazy-budgets|budget-form)|contract\/src\/api\/budget)/,
    includeDependenciesRecursively: false,
    priority: 8.2,
  },
  // What faults and rows say in words.
  {
    name: 'wire-words',
    test: /packages\/(web\/src\/shared\/wire-words\/|contract\/src\/(channel-failure|texts\/kept))/,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 8.2,
  },
  // Fields and frames that only forms have which open late.
  {
    name: 'late-fields',
    test: /@mantine\/core\/.*\/MultiSelect\//,
    includeDependenciesRecursively: false,
    priority: 8.3,
  },
  {
    name: 'suggestions',
    test: /@mantine\/core\/.*\/Autocomplete\//,
    includeDependenciesRecursively: false,
    priority: 8.3,
  },
  {
    name: 'grid',
    test: /@mantine\/core\/.*\/SimpleGrid\//,
    includeDependenciesRecursively: false,
    priority: 8.3,
  },
  // Prices tried on past usage, and its plain tables, which open late wherever they are tried.
  {
    name: 'rehearsal',
    test: /packages\/web\/src\/shared\/price-rehearsal\/(?!price-rehearsal\.tsx)|@mantine\/core\/.*\/(Table|Title)\//,
    includeDependenciesRecursively: false,
    priority: 8.2,
  },
  // Heavy parts that only some pages have.
  { name: 'markdown', test: /node_modules\/marked\//, priority: 4 },
  { name: 'formulas', test: /node_modules\/katex\//, priority: 4.5 },
  {
    name: 'dates',
    test: /node_modules\/(@mantine\/dates|dayjs)\/|shared\/date-time\/(date-time-field|credit-end-field)/,
    priority: 4,
  },
  // The tables of prices, which open from the settings, and what only cleans the operator's own HTML, must not ride along with others.
  {
    name: 'prices',
    test: /settings\/editors\/pricing\/(?!price-keys)/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // What the pages of prices that people read share; it would join any page.
  {
    name: 'price-list',
    test: /web\/src\/features\/pricing\/(base|facts)\//,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 5,
  },
  // The page on which operators work on prices, and what of the contract only it needs; the menu and the settings need the rest.
  {
    name: 'price-book',
    test: /packages\/web\/src\/(features\/prices\/base\/(?!review)|shared\/prices\/(tables-query|save-prices))|packages\/contract\/src\/(price-book\/(?!keys)|api\/prices\/)/,
    includeDependenciesRecursively: false,
    priority: 8.4,
  },
  // What the settings share with what opens from them, and the refusals that only they look up; it would join any page.
  {
    name: 'settings-shared',
    test: /settings\/editors\/(numbers|editors\.module|pricing\/price-keys)|contract\/src\/(settings\/types|price-book\/keys|errors|refusals)/,
    includeDependenciesRecursively: false,
    priority: 4.5,
  },
  // Ratios of families, for the tables of prices alone.
  {
    name: 'price-rules',
    test: /contract\/src\/prices\/ratio-rules/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // The words of a channel's form, which opens late; they would join any page.
  {
    name: 'channel-form',
    test: /features\/channels\/drawer\/form-text/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // Examples of calls, for those who make a token; small as they are, they would join any page.
  {
    name: 'snippets',
    test: /packages\/web\/src\/shared\/snippets\//,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // What accounts did, in words, for root and one's own history; left alone, it would join the pages of channels.
  {
    name: 'audit',
    test: /packages\/(web\/src\/shared\/audit\/|contract\/src\/audit-kinds)/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // What asks for a second factor after the log-in has begun, and what the drawers of two pages share: small pieces that
  // would join whatever page is near.
  {
    name: 'factor',
    test: /packages\/web\/src\/features\/auth\/(factor-queries|factor-text)/,
    includeDependenciesRecursively: false,
    priority: 4,
  },
  // A chat, for the pages that make one: the bundler would put what every file needs beside it.
  {
    name: 'try-it',
    test: /web\/src\/(shared\/try-it|lib\/api\/(chat-stream|sse))|node_modules\/eventsource-parser\//,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 4,
  },
  // What the page of one's own account shares with what opens over it.
  {
    name: 'personal',
    test: /packages\/web\/src\/features\/personal\//,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 4,
  },
  // What the pages of one's own money share.
  {
    name: 'wallet',
    test: /web\/src\/features\/wallet\//,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 6.5,
  },
  {
    name: 'users',
    test: /packages\/web\/src\/features\/users\//,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 4,
  },
  // What lists of keys say of each, for people's own keys and those of organisations.
  {
    name: 'key-words',
    test: /packages\/web\/src\/shared\/(key-cells\/|keys\/key-(form|text))/,
    minShareCount: 2,
    priority: 5,
  },
  // The form of a key and how to use one, which open over lists.
  {
    name: 'keys',
    test: /packages\/web\/src\/shared\/keys\/(key-drawer|use-drawer|created-dialog|choice-fields)/,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 4,
  },
  // What the pages of organisations share, and nobody else has.
  {
    name: 'organisations',
    test: /packages\/web\/src\/features\/organisations\/|packages\/contract\/src\/api\/team/,
    includeDependenciesRecursively: false,
    minShareCount: 2,
    priority: 4,
  },
  { name: 'rich', test: /node_modules\/dompurify\/|shared\/rich-html\//, priority: 4 },
  // Whatever else several share, by who shares it; small pieces join their closest neighbour.
  { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 49_152 },
];

/** Only plain names are handed out by the server; the bundler names a shared file after all who share it. */
export const chunkFileName = ({ name }: { name: string }): string =>
  `assets/${name.replace(/~.*/, '')}-[hash].js`;
