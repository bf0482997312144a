import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Documented {
  components: object;
}

/** Validates values against schemas of an OpenAPI document, including references to its components. */
export class DocumentCheck {
  private readonly components: object;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<object, ValidateFunction>();

  constructor({ components }: Documented) {
    this.components = components;
    addFormats.default(this.ajv);
  }

  /** Validation errors of a value; '' for a valid one. */
  faultOf(schema: object, value: unknown): string {
    const validate =
      this.compiled.get(schema) ?? this.ajv.compile({ ...schema, components: this.components });
    this.compiled.set(schema, validate);
    return validate(value) ? '' : this.ajv.errorsText(validate.errors);
  }
}
