import { Switch, TextInput } from '@mantine/core';
import { isRegion, regionsIn } from '@tollgate/contract';
import { type Translate, useTranslate } from '../lib/i18n.ts';

const text = {
  regions: { zh: '渠道地区', en: 'Regions of channels' },
  regionsHint: {
    zh: '只使用这些地区的渠道，逗号分隔，如 eu,us；留空则不限',
    en: 'Only channels of these regions, with commas, such as eu,us; leave empty for all',
  },
  regionsMalformed: {
    zh: '地区只能含小写字母、数字和连字符',
    en: 'Regions have letters, digits and hyphens only',
  },
  noRetention: { zh: '仅用不保留数据的渠道', en: 'Only channels without retention' },
  noRetentionHint: {
    zh: '只使用管理员标记为供应商不保留数据的渠道',
    en: 'Only channels that administrators marked: the vendor keeps nothing of a call',
  },
};

/** The problem of a list of regions; null without one. */
export const regionsProblem = (t: Translate, list: string): string | null =>
  regionsIn(list).every(isRegion) ? null : t(text.regionsMalformed);

/** The list in the form in which it is stored. */
export const tidyRegions = (list: string): string => regionsIn(list).join(',');

interface ChannelRuleFieldsProps {
  /** Properties of the inputs from the form. */
  regions: object;
  noRetention: object;
}

/** What a key or an organisation requires of the channels of its calls. */
export function ChannelRuleFields({ regions, noRetention }: ChannelRuleFieldsProps) {
  const t = useTranslate();
  return (
    <>
      <TextInput label={t(text.regions)} description={t(text.regionsHint)} spellCheck={false} {...regions} />
      <Switch label={t(text.noRetention)} description={t(text.noRetentionHint)} {...noRetention} />
    </>
  );
}
