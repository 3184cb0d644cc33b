;; Products of rows of whole numbers, eight factors at a time. `npx tsx scripts/compile_products.ts` makes the bytes in
;; row_products.ts from this text, and a test compares the two.
(module
  (memory (export "memory") 1)

  ;; Multiplies `count` rows of 16-bit numbers, which stand one after the other from `many` on, with the row of 8-bit
  ;; numbers at `one`, and writes the sums as 32-bit numbers from `sums` on. All rows have `width` numbers, a multiple
  ;; of 16; a sum of fewer than 2^17 products of 8-bit numbers is exact.
  (func (export "multiply")
    (param $many i32) (param $count i32) (param $one i32) (param $width i32) (param $sums i32)
    (local $at i32) (local $end i32) (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $one) (local.get $width)))
    (loop $row
      ;; Two sums side by side, so that an addition need not wait for the one before it.
      (local.set $even (v128.const i32x4 0 0 0 0))
      (local.set $odd (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $one))
      (loop $sixteen
        (local.set $even (i32x4.add (local.get $even)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at)) (v128.load (local.get $many)))))
        (local.set $odd (i32x4.add (local.get $odd)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at)) (v128.load offset=16 (local.get $many)))))
        (local.set $many (i32.add (local.get $many) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $sixteen (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
      (i32.store (local.get $sums) (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
        (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
      (local.set $sums (i32.add (local.get $sums) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $row (local.get $count)))))
