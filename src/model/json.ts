// JSON values as they stand in columns, arguments and manifests.

/** Any JSON value; numbers are finite. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
