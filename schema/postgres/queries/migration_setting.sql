-- binds: dimensions
select set_config('memory.embedder_dimensions', $1, true)
