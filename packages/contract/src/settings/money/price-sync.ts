import { z } from 'zod';
import { group, json, toggle } from '../define.ts';

/** The public price lists that Tollgate reads, by the form they have. */
export const priceSourceNames = ['models_dev', 'litellm', 'openrouter'] as const;
export type PriceSourceName = (typeof priceSourceNames)[number];

const address = /^(?:https?:\/\/[^\s/?#]+\S*|file:(?!.*\.\.)[\w-][\w./-]*)?$/i;
const place = z.string().trim().max(2_048).regex(address).default('');

/** Where each list is: an address, `file:` and a path below the data folder, or '' where it is not read. */
const priceSources = z.strictObject({ models_dev: place, litellm: place, openrouter: place });

export const priceSync = group(
  'operation',
  { zh: '公开价格表', en: 'Public price lists' },
  {
    PriceSyncEnabled: toggle({
      default: false,
      label: { zh: '读取公开价格表', en: 'Read public price lists' },
      help: {
        zh: '仅当超级管理员点击时，服务器向下方每个地址发送一次 GET，只带 Accept、Accept-Encoding 与 User-Agent: tollgate，不含本站信息；对方会看到服务器 IP。价格只在批准后改变',
        en: 'When root asks, the server sends one GET to each address below, with Accept, Accept-Encoding and User-Agent: tollgate and nothing of this site; the other side sees the server’s IP address. Prices change only when approved',
      },
    }),
    PriceSyncSources: json({
      schema: priceSources,
      default: {
        models_dev: 'https://models.dev/api.json',
        litellm:
          'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
        openrouter: 'https://openrouter.ai/api/v1/models',
      },
      label: { zh: '价格表地址', en: 'Where the lists are' },
      help: {
        zh: 'JSON；地址，或 file: 加数据目录下的文件名，留空则不读取',
        en: 'JSON: an address, or file: and a path below the data folder; empty for none',
      },
    }),
  },
);
