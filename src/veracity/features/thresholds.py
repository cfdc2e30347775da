"""The thresholds by which columns become features, all in one place."""

from __future__ import annotations

# Which columns are left out.

#: A category column with more categories than this share of claims names claims, not kinds.
MAX_DISTINCT_SHARE = 0.5
#: A number of claims is derived from the value if the value explains more than this share of its
#: variance within items. This is the default of `FeatureBuilder` and the rule of the paper's
#: machine, which uses all features that it is given: only what is mostly the value is left out.
MAX_VALUE_SHARE = 0.5
#: The same for `GRBM`, which is stricter because it uses features only if they help to predict
#: held-out claims: a column that tells values apart passes that test without telling sources apart.
MAX_VALUE_SHARE_GRBM = 0.1
#: A number with fewer claims than this off its least value says next to nothing.
MIN_OFF_LEAST = 20
#: `GRBM` uses features if they improve the prediction of held-out claims by more than so many nats
#: a claim, and by so many standard errors; unless they overturn the answers of more than this share
#: of the contested items.
MIN_GAIN, MIN_GAIN_Z_SCORE, MAX_OVERTURNED = 0.005, 5.0, 1 / 3

# How finely those that are used are told apart.

#: Numbers with more distinct values than this are put into as many bins; the parameter ``bins``.
MAX_BINS = 32
#: The commonest categories have a column each; the rest share one.
MAX_CATEGORIES = 12
#: Scaled numbers are held within this many spreads of the median.
MAX_SPREADS = 4.0
#: The same in standard deviations from the mean, where that is the scale.
MAX_DEVIATIONS = 5.0
#: Of a column with more distinct numbers than this, neighbours are counted together.
MAX_LEVELS = 2**20
