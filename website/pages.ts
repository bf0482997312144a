import type { Language } from '../packages/contract/src/words.ts';

/** Pages of the site in the order of its menu, as paths below `docs/` without `.md`. Titles are those of the pages. */
export interface PageGroup {
  title: Record<Language, string>;
  pages: readonly string[];
}

/** Pages that are not in `docs/`: path on the site → file of the repository. */
export const otherPages: Readonly<Record<string, string>> = {
  index: 'README.md',
  contributing: 'CONTRIBUTING.md',
  'reporting-faults': 'SECURITY.md',
  changes: 'CHANGELOG.md',
};

/** The page that the build makes of the OpenAPI document. */
export const referencePage = 'api';

export const groups: readonly PageGroup[] = [
  {
    title: { en: 'Start', zh: '开始' },
    pages: ['index', 'tour-operators', 'user-guide', 'use-it-with'],
  },
  {
    title: { en: 'Operate', zh: '运维' },
    pages: [
      'how-to/deploy',
      'how-to/configuration',
      'how-to/upgrade',
      'how-to/move-in',
      'how-to/payments-and-notices',
      'how-to/price-sync',
      'how-to/reconciliation',
      'how-to/guard-hooks',
    ],
  },
  {
    title: { en: 'Calls', zh: '调用' },
    pages: [
      'endpoints',
      'errors',
      referencePage,
      'protocols',
      'protocols/chat-and-messages',
      'protocols/responses',
      'protocols/gemini',
      'protocols/vertex',
      'protocols/hosted-tools',
      'protocols/bedrock',
      'protocols/cohere-and-reranking',
      'protocols/applications',
      'protocols/kin-of-openai',
      'protocols/realtime',
      'protocols/images-and-sound',
      'compatibility',
    ],
  },
  {
    title: { en: 'Promises', zh: '承诺' },
    pages: ['money', 'reliability', 'security', 'performance', 'reporting-faults', 'changes'],
  },
  {
    title: { en: 'Code', zh: '代码' },
    pages: [
      'contributing',
      'architecture',
      'architecture/gateway',
      'architecture/relay',
      'architecture/services',
      'architecture/edge',
      'architecture/base',
      'architecture/console',
      'architecture/packages',
      'how-to/add-provider',
      'how-to/add-setting',
      'how-to/add-call',
      'how-to/add-page',
      'how-to/add-table',
      'how-to/add-job',
      'how-to/add-sign-in',
    ],
  },
];
