// The driver, loaded when an Oracle database is first opened; its process-wide settings are left as they are.

import type * as oracledb from 'oracledb';

/** What of the driver is used. */
export type Driver = Pick<
  typeof oracledb,
  | 'createPool'
  | 'BIND_OUT'
  | 'OUT_FORMAT_ARRAY'
  | 'STRING'
  | 'DB_TYPE_CLOB'
  | 'DB_TYPE_JSON'
  | 'DB_TYPE_NUMBER'
  | 'DB_TYPE_VARCHAR'
  | 'DB_TYPE_VECTOR'
>;

/** Loads the driver, which works in its Thin mode: no client library of Oracle is needed. */
export async function loadDriver(): Promise<Driver> {
  const { default: driver } = await import('oracledb');
  return driver;
}
