;; Products of rows of whole numbers, eight factors at a time. `npx tsx scripts/compile_products.ts` makes the bytes in
;; row_products.ts from this text, and a test compares the two.
(module
  (memory (export "memory") 1)

  ;; Multiplies each of `manyCount` rows of 16-bit numbers, which stand one after the other from `many` on, with each of
  ;; `oneCount` rows of 8-bit numbers, whose addresses stand from `ones` on. Writes the sums as 32-bit numbers from `sums`
  ;; on: all of the first address, then all of the second. All rows have `width` numbers, a multiple of 16; a sum of fewer
  ;; than 2^17 products of 8-bit numbers is exact. No count is 0.
  (func (export "multiply")
    (param $many i32) (param $manyCount i32) (param $ones i32) (param $oneCount i32) (param $width i32) (param $sums i32)
    (local $at i32) (local $start i32) (local $end i32) (local $row i32) (local $left i32)
    (local $even v128) (local $odd v128)
    (loop $one
      (local.set $start (i32.load (local.get $ones)))
      (local.set $end (i32.add (local.get $start) (local.get $width)))
      (local.set $row (local.get $many))
      (local.set $left (local.get $manyCount))
      (loop $each
        ;; Two sums side by side, so that an addition need not wait for the one before it.
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $start))
        (loop $sixteen
          (local.set $even (i32x4.add (local.get $even)
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $at)) (v128.load (local.get $row)))))
          (local.set $odd (i32x4.add (local.get $odd)
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $at)) (v128.load offset=16 (local.get $row)))))
          (local.set $row (i32.add (local.get $row) (i32.const 32)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $sixteen (i32.lt_u (local.get $at) (local.get $end))))
        (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
        (i32.store (local.get $sums) (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
          (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
        (local.set $sums (i32.add (local.get $sums) (i32.const 4)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $each (local.get $left)))
      (local.set $ones (i32.add (local.get $ones) (i32.const 4)))
      (local.set $oneCount (i32.sub (local.get $oneCount) (i32.const 1)))
      (br_if $one (local.get $oneCount)))))
