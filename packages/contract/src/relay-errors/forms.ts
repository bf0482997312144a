import type { Words } from '../words.ts';

/** Faults of a form (multipart/form-data), for the detail of `invalid_form`. */
export const formFaults = {
  no_boundary: { zh: 'Content-Type 没有 boundary', en: 'the content type names no boundary' },
  invalid_boundary: { zh: '表单的 boundary 无效', en: 'the boundary of the form is not valid' },
  wrong_start: { zh: '表单没有以 boundary 开头', en: 'the form does not begin with its boundary' },
  too_many_parts: { zh: '表单超过 {value} 个部分', en: 'the form has more than {value} parts' },
  trailing_bytes: { zh: '表单结束之后还有内容', en: 'there is something behind the end of the form' },
  boundary_without_line_end: {
    zh: '表单的 boundary 之后没有换行',
    en: 'a boundary of the form is not followed by a line end',
  },
  headers_too_long: {
    zh: '表单某部分的标头没有结束，或过长',
    en: 'a part of the form has no end of its headers, or they are too long',
  },
  broken_off: { zh: '表单没有传完', en: 'the form breaks off' },
  part_without_value: { zh: '表单某部分没有值', en: 'a part of the form has no value' },
  malformed_headers: { zh: '表单某部分的标头格式错误', en: 'a part of the form has malformed headers' },
  transfer_encoding: {
    zh: '表单的各部分不能使用传输编码',
    en: 'parts of the form must come as they are, without a transfer encoding',
  },
  not_utf8: { zh: '表单的字段必须是 UTF-8', en: 'the fields of the form must be UTF-8' },
  no_disposition: {
    zh: '表单某部分没有表单的 Content-Disposition',
    en: 'a part of the form has no Content-Disposition of a form',
  },
  malformed_disposition: {
    zh: '表单某部分的 Content-Disposition 格式错误',
    en: 'a part of the form has a malformed Content-Disposition',
  },
  no_name: { zh: '表单某部分没有名称', en: 'a part of the form has no name' },
  name_too_long: { zh: '表单中的名称过长', en: 'a name in the form is too long' },
  forbidden_name: { zh: '表单中的名称不被允许', en: 'a name in the form is not allowed' },
  value_holds_boundary: { zh: '表单的值包含其 boundary', en: 'a value of the form holds its boundary' },
  texts_too_long: { zh: '表单的文本字段过长', en: 'the text fields of the form are too long' },
  repeated_field: { zh: '字段 {value} 出现多次', en: 'the field {value} occurs more than once' },
  unreadable: { zh: '无法读取表单', en: 'the form could not be read' },
  ambiguous: { zh: '表单有歧义', en: 'the form is ambiguous' },
} as const satisfies Record<string, Words>;
