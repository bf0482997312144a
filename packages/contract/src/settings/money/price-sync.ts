import * as z from 'zod/mini';
import { settingError } from '../setting-error.ts';
import { priceSourceNames } from '../../price-book/keys.ts';
import { group, json, toggle } from '../define.ts';
import { textUpTo } from '../shapes.ts';
import { product } from '../../product.ts';

const address = /^(?:https?:\/\/[^\s/?#]+\S*|file:(?!.*\.\.)[\w-][\w./-]*)?$/i;

/** Location of each list: an address, `file:` and a path below the data folder, or '' if the list is not read. */
const priceSources: z.ZodMiniType<Readonly<Record<string, string>>> = z.record(z.string(), textUpTo(2_048));

/** Refuses unknown kinds of lists and invalid addresses. */
function checkSources(sources: Readonly<Record<string, string>>, key: string): void {
  const known = new Set<string>(priceSourceNames);
  for (const [name, place] of Object.entries(sources)) {
    if (known.has(name) && address.test(place)) continue;
    throw settingError('setting_malformed', { key, detail: name });
  }
}

export const priceSync = group(
  'advanced',
  { zh: '公开价格表', en: 'Public price lists' },
  {
    PriceSyncEnabled: toggle({
      default: false,
      label: { zh: '读取公开价格表', en: 'Read public price lists' },
      help: {
        zh: `仅在您点击时向每个地址发送一次 GET，请求头为 Accept、Accept-Encoding 和 User-Agent: ${product.id}`,
        en: `One GET to each address when you ask, with the headers Accept, Accept-Encoding and User-Agent: ${product.id}`,
      },
    }),
    PriceSyncSources: json({
      schema: priceSources,
      checkSaved: checkSources,
      default: {
        models_dev: 'https://models.dev/api.json',
        litellm:
          'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
        openrouter: 'https://openrouter.ai/api/v1/models',
      },
      label: { zh: '价格表地址', en: 'List addresses' },
      help: {
        zh: 'JSON：地址，或 file: 加数据目录下的路径，或留空',
        en: 'JSON: an address, file: and a path in the data folder, or empty',
      },
    }),
  },
);
