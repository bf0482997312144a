/** Refusals of price changes. */
export const priceErrors = {
  price_changed: {
    status: 200,
    zh: '{model} 的价格已被修改，请刷新后重试',
    en: 'The price of {model} has changed meanwhile: refresh and try again',
  },
  price_is_zero: {
    status: 200,
    zh: '价格表不能将 {model} 设为免费',
    en: 'A list cannot make {model} free',
  },
  price_needs_own_approval: {
    status: 200,
    zh: '{model} 的价格变化过大，需要单独批准',
    en: 'The price of {model} jumps: it needs an approval of its own',
  },
  model_without_price: {
    status: 200,
    zh: '{model} 没有价格',
    en: '{model} has no price',
  },
  month_busy: {
    status: 200,
    zh: '正在进行的试算过多，请稍后重试',
    en: 'Too many months are being priced: please try again shortly',
  },
} as const;

/** Refusals of price rehearsals and of corrections of past charges. */
export const priceChangeErrors = {
  rehearsal_running: {
    status: 200,
    zh: '已有一个价格试算正在进行，请等待它结束或先停止它',
    en: 'Another rehearsal of prices is running: wait for its end or stop it first',
  },
  replay_running: {
    status: 200,
    zh: '已有一个重放正在进行，请等待它结束或先停止它',
    en: 'Another replay is running: wait for its end or stop it first',
  },
  replay_gone: {
    status: 200,
    zh: '重放不存在，或其结果已过期，请重新开始',
    en: 'There is no such replay, or its result was dropped: please start it again',
  },
  replay_too_old: {
    status: 200,
    zh: '只保留最近 25 小时的记录',
    en: 'Only the last 25 hours are kept',
  },
  rehearsal_gone: {
    status: 200,
    zh: '试算不存在，或其结果已过期，请重新试算',
    en: 'There is no such rehearsal, or its outcome was dropped: please start it again',
  },
  rehearsal_not_done: {
    status: 200,
    zh: '试算尚未完成',
    en: 'The rehearsal has not ended yet',
  },
  rehearsal_not_a_price: {
    status: 200,
    zh: '选项 {key} 不影响价格，不能试算',
    en: 'No price depends on the option {key}: it cannot be rehearsed',
  },
  rehearsal_span: {
    status: 200,
    zh: '结束时间早于开始时间',
    en: 'The span of time ends before it begins',
  },
  rerating_running: {
    status: 200,
    zh: '已有一次收费更正正在进行，请等待它结束',
    en: 'Another correction of charges is under way: wait for its end',
  },
  rerating_not_found: {
    status: 200,
    zh: '收费更正不存在',
    en: 'There is no such correction of charges',
  },
  rerating_not_running: {
    status: 200,
    zh: '这次更正没有在进行',
    en: 'This correction is not running',
  },
  rerating_not_ended: {
    status: 200,
    zh: '只能撤销已结束且未撤销的更正',
    en: 'Only a correction that has ended and was not undone can be undone',
  },
  rerating_overlaid: {
    status: 200,
    zh: '之后的更正改动了相同的收费，请先撤销它们',
    en: 'A later correction changed the same charges: undo that one first',
  },
} as const;

/** Refusals of cost prices. */
export const costErrors = {
  cost_price_unusable: {
    status: 400,
    zh: '成本价不可用：要么只填每次调用的价格，要么填写输入价格；输入价格为 0 时其他价格也须为 0',
    en: 'This cost price cannot be used: name a price for each call alone, or the price of the input; where that is 0, so are the others',
  },
  cost_models_too_many: {
    status: 400,
    zh: '成本价表最多 2000 个模型',
    en: 'A table of cost prices has 2,000 models at most',
  },
} as const;

/** Refusals of reconciliation with vendors. */
export const reconciliationErrors = {
  report_key_missing: {
    status: 200,
    zh: '所选渠道没有管理密钥',
    en: 'None of these channels has an administration key',
  },
  report_span: {
    status: 200,
    zh: '最多 {days} 天，且不能在未来',
    en: 'At most {days} days, and none in the future',
  },
  report_running: {
    status: 200,
    zh: '正在读取另一份用量',
    en: 'Another usage is being read',
  },
  report_csv: {
    status: 200,
    zh: 'CSV 文件无法读取：{reason}',
    en: 'The CSV file cannot be read: {reason}',
  },
} as const;
