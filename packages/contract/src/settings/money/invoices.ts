import { group, lines, text } from '../define.ts';

/** Longest prefix of a number: printed numbers are stored in a column. */
const maxPrefix = 20;

export const invoices = group(
  'payments',
  { zh: '发票', en: 'Invoices' },
  {
    'invoice.seller_name': text({
      default: '',
      max: 255,
      label: { zh: '卖方名称', en: 'Seller' },
      help: {
        zh: '填写名称和地址后，每笔完成的充值都有连续编号的发票；请关闭 Stripe 的发票',
        en: 'With name and address, each top-up gets a numbered invoice; switch those of Stripe off',
      },
    }),
    'invoice.seller_address': lines({
      default: [],
      label: { zh: '卖方地址', en: 'Address of the seller' },
      help: { zh: '印在发票上，每行一项', en: 'Printed on invoices, in these lines' },
    }),
    'invoice.seller_tax_id': text({
      default: '',
      max: 255,
      label: { zh: '卖方税号', en: 'Tax id of the seller' },
      help: { zh: '可以为空', en: 'May be empty' },
    }),
    'invoice.footer': text({
      default: '',
      max: 1_000,
      label: { zh: '发票附注', en: 'Text below the sums' },
      help: { zh: '例如关于税款的说明，可以为空', en: 'Such as a note about taxes; may be empty' },
    }),
    'invoice.prefix': text({
      default: '',
      max: maxPrefix,
      label: { zh: '编号前缀', en: 'Prefix of numbers' },
      help: { zh: '例如 TG- 得到 TG-2026-000001', en: 'TG- makes TG-2026-000001' },
    }),
  },
);
