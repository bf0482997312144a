import { texts, type Text } from '../../lib/i18n.ts';

/** Vendors that are known in China by another name; the registry tells the English ones. */
const renamed: readonly Text[] = Object.values(
  texts({
    baidu: { zh: '百度千帆', en: 'Baidu Qianfan' },
    ali: { zh: '阿里云百炼', en: 'Alibaba DashScope' },
    zhipu: { zh: '智谱', en: 'Zhipu GLM' },
    moonshot: { zh: '月之暗面', en: 'Moonshot AI' },
    ai360: { zh: '360 智脑', en: '360 Zhinao' },
    lingyiwanwu: { zh: '零一万物', en: '01.AI' },
    siliconflow: { zh: '硅基流动', en: 'SiliconFlow' },
    volcengine: { zh: '火山方舟', en: 'VolcEngine' },
    coze: { zh: '扣子', en: 'Coze' },
    custom: { zh: '自定义', en: 'Custom' },
    sandbox: { zh: '沙盒', en: 'Sandbox' },
  }),
);

const byEnglish = new Map(renamed.map((name) => [name.en, name]));

/** The name of a provider as a text of both languages. */
export const providerName = (name: string): Text => byEnglish.get(name) ?? { zh: name, en: name };

/** Both names where they differ, so that a search finds the provider by either. */
export function bothNames(name: string): Text {
  const known = providerName(name);
  return known.zh === name ? known : { zh: `${known.zh} · ${name}`, en: name };
}
