import { defineProvider } from './provider-kit/index.ts';
import type { Provider } from './types/index.ts';

/**
 * Vendors that have closed. Their channels can be imported from another gateway, keep their type number and are shown
 * under this name; nothing is ever sent to them, and a test explains why.
 */
export const closedVendors: readonly Provider[] = [
  closed(11, 'palm', { zh: 'Google PaLM 2（供应商已关闭）', en: 'Google PaLM 2 (closed by its vendor)' }),
  closed(21, 'aiproxy-library', {
    zh: 'AI Proxy 知识库（供应商已关闭）',
    en: 'AI Proxy library (closed by its vendor)',
  }),
];

function closed(type: number, id: string, name: Provider['name']): Provider {
  return defineProvider({ type, id, name, endpoints: {}, testable: false, isClosed: true });
}
