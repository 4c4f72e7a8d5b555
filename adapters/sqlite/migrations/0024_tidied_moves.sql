-- A call of a move may take effect after the move has ended. So each move is tidied up some time after its end, at its
-- `not_before`, which is null again afterwards. The sweep looks for such moves every minute.
CREATE INDEX moves_untidied ON moves (not_before) WHERE ended_at IS NOT NULL AND not_before IS NOT NULL;
